import COpenSSL
import Crypto

/// A key pair that signs for the tests. Made when the tests run, gone when they end.
package final class SigningKey: @unchecked Sendable {
  // @unchecked: the key is never changed after `init`, and OpenSSL signs with a context of its own.
  private let key: OpaquePointer

  /// - Parameter curve: OpenSSL's name.
  package init(curve: String = "P-256") {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
      preconditionFailure("no EC keys")
    }
    defer { EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, curve) == 1,
      EVP_PKEY_generate(context, &made) == 1, let made
    else { preconditionFailure("no key on \(curve)") }
    key = made
  }

  deinit { EVP_PKEY_free(key) }

  /// An ECDSA-Sig-Value in DER.
  package func sign(_ message: [UInt8]) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("no context") }
    defer { EVP_MD_CTX_free(context) }
    var length = 0
    precondition(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1)
    precondition(EVP_DigestSign(context, nil, &length, message, message.count) == 1)
    var signature = [UInt8](repeating: 0, count: length)
    precondition(EVP_DigestSign(context, &signature, &length, message, message.count) == 1)
    return Array(signature.prefix(length))
  }

  /// r and s, 32 bytes each for a P-256 key.
  package func signRaw(_ message: [UInt8]) -> [UInt8] {
    var outer = DERReader(sign(message))
    var numbers = DERReader(outer.next()?.contents ?? [])
    var raw: [UInt8] = []
    for _ in 0..<2 {
      let digits = (numbers.next()?.contents ?? []).drop { $0 == 0 }
      raw += [UInt8](repeating: 0, count: max(0, 32 - digits.count)) + digits
    }
    return raw
  }

  /// A SubjectPublicKeyInfo in DER.
  package var publicKeyInfo: [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_PUBKEY(key, &bytes)
    guard count > 0, let bytes else { preconditionFailure("no public key") }
    // OPENSSL_free is a macro.
    defer { CRYPTO_free(bytes, nil, 0) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  /// Lends OpenSSL's key. The pointer must not leave `body`.
  package func withHandle<R>(_ body: (OpaquePointer) -> R) -> R { body(key) }

  /// x and y, 32 bytes each, of a P-256 key.
  package var coordinates: [UInt8] { publicKeyInfo.suffix(64) }

  /// What subject and authority key identifiers name the key by.
  var identifier: [UInt8] { Array(SHA256.hash(publicKeyInfo).prefix(20)) }
}
