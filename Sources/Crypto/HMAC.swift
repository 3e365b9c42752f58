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
            let context = mustExist(EVP_MAC_CTX_dup(Algorithms.hmacSHA256), "EVP_MAC_CTX_dup")
            // Freeing it wipes what it holds of the key.
            defer { EVP_MAC_CTX_free(context) }
            var size = 0
            mustSucceed(EVP_MAC_init(context, key.octets, key.count, nil), "EVP_MAC_init")
            mustSucceed(EVP_MAC_update(context, message.octets, message.count), "EVP_MAC_update")
            mustSucceed(EVP_MAC_final(context, code.octets, &size, code.count), "EVP_MAC_final")
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
