import COpenSSL

/// HMAC with SHA-256 (RFC 2104), of secrets with a secret key.
package enum HMACSHA256 {
  /// The 32-byte code of `message`.
  package static func code(
    for message: borrowing Secret, key: borrowing Secret
  ) -> Secret {
    Secret(count: SHA256.size) { code in
      message.withBytes { message in
        key.withBytes { key in
          libcrypto {
            let done = HMAC(
              EVP_sha256(), key.baseAddress, CInt(key.count), message.octets, message.count,
              code.octets, nil)
            precondition(done != nil, "libcrypto: HMAC failed")
          }
        }
      }
    }
  }
}

/// HKDF as the Noise framework uses it (revision 34, section 4.3), over HMAC-SHA-256: RFC 5869
/// with the chaining key as salt, no info, and two outputs of 32 bytes.
package enum HKDF {
  /// Replaces `chainingKey` by the first output and answers the second.
  package static func advance(
    _ chainingKey: inout Secret, input: borrowing Secret
  ) -> Secret {
    let temporary = HMACSHA256.code(for: input, key: chainingKey)
    let first = HMACSHA256.code(for: Secret(copying: [0x01]), key: temporary)
    let tail = first.withBytes { first in
      Secret(count: first.count + 1) { message in
        message.copyBytes(from: first)
        message[first.count] = 0x02
      }
    }
    let second = HMACSHA256.code(for: tail, key: temporary)
    chainingKey = first
    return second
  }
}
