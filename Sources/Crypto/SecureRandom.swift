import COpenSSL

/// Bytes that nobody can guess, from libcrypto's generator (seeded by getrandom).
package enum SecureRandom {
  /// Fresh bytes for what may be seen: nonces, tickets, identifiers. For keys: `Secret.random`.
  package static func bytes(count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { memory in fill(memory, private: false) }
    return bytes
  }

  /// Private values come from a generator of their own, so that what is seen of the public one
  /// says nothing about them (RAND_priv_bytes(3)).
  static func fill(_ memory: UnsafeMutableRawBufferPointer, private: Bool) {
    let count = CInt(memory.count)
    libcrypto {
      if `private` {
        mustSucceed(RAND_priv_bytes(memory.octets, count), "RAND_priv_bytes")
      } else {
        mustSucceed(RAND_bytes(memory.octets, count), "RAND_bytes")
      }
    }
  }
}
