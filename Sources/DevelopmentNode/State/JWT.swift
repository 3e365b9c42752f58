import Crypto
package import EventLoop

/// A token of the shape of a JSON Web Token (RFC 7519), with a signature of random bytes.
package enum JWT {
  package static func unsigned(
    subject: String, issuedAt: WallInstant, expiresAt: WallInstant
  ) -> String {
    let claims: JSON = [
      "sub": .string(subject), "jti": .string(Names.hex(bytes: 16)),
      "iat": .number(issuedAt.unixSeconds), "exp": .number(expiresAt.unixSeconds),
    ]
    let header: JSON = ["alg": "HS256", "typ": "JWT"]
    let parts = [header.bytes, claims.bytes, Array(Names.hex(bytes: 16).utf8)]
    return parts.map(Base64URL.encode).joined(separator: ".")
  }
}
