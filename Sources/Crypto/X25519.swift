import COpenSSL

/// Diffie-Hellman on Curve25519 (RFC 7748).
package enum X25519 {
  /// The length of a key, private or public, and of an agreed secret, in bytes.
  package static let size = 32

  /// A point as it travels. Any 32 bytes are one; whether it can be agreed with shows later.
  package struct PublicKey: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    /// - Throws: `CryptoError.keyLength`
    package init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
      guard bytes.count == X25519.size else { throw .keyLength }
      self.bytes = Array(bytes)
    }

    fileprivate init(whole bytes: [UInt8]) { self.bytes = bytes }
  }

  /// The secret half of a key pair. The library wipes it when it is freed.
  package struct PrivateKey: ~Copyable {
    private let key: OpaquePointer

    /// A fresh key.
    package init() {
      key = Self.import(Secret.random(count: X25519.size))
    }

    /// A key that is known already: a node's stored one, or a test's.
    ///
    /// - Throws: `CryptoError.keyLength`
    package init(raw: borrowing Secret) throws(CryptoError) {
      guard raw.count == X25519.size else { throw .keyLength }
      key = Self.import(raw)
    }

    deinit { EVP_PKEY_free(key) }

    private static func `import`(_ raw: borrowing Secret) -> OpaquePointer {
      raw.withBytes { raw in
        libcrypto {
          mustExist(
            EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, raw.octets, raw.count),
            "EVP_PKEY_new_raw_private_key")
        }
      }
    }

    package var publicKey: PublicKey {
      var count = X25519.size
      var bytes = [UInt8](repeating: 0, count: X25519.size)
      libcrypto {
        mustSucceed(
          EVP_PKEY_get_raw_public_key(key, &bytes, &count), "EVP_PKEY_get_raw_public_key")
      }
      return PublicKey(whole: bytes)
    }

    /// The secret that both sides know, 32 bytes. Not uniform: for a key derivation only.
    ///
    /// - Throws: `CryptoError.lowOrderPoint` when it would be zero (RFC 7748, section 6.1).
    package borrowing func agree(with peer: PublicKey) throws(CryptoError) -> Secret {
      let shared = try Secret(count: X25519.size) { memory throws(CryptoError) in
        guard derive(peer, into: memory) else { throw .lowOrderPoint }
      }
      // The library refuses a zero result itself today; the promise is ours, so it is checked.
      guard !ConstantTime.isZero(shared) else { throw .lowOrderPoint }
      return shared
    }

    private borrowing func derive(
      _ peer: PublicKey, into memory: UnsafeMutableRawBufferPointer
    ) -> Bool {
      libcrypto {
        let point = peer.bytes
        // As TLS does it: a key of our own key's kind costs less than one of a kind by name.
        let peer = mustExist(EVP_PKEY_new(), "EVP_PKEY_new")
        defer { EVP_PKEY_free(peer) }
        mustSucceed(EVP_PKEY_copy_parameters(peer, key), "EVP_PKEY_copy_parameters")
        mustSucceed(
          EVP_PKEY_set1_encoded_public_key(peer, point, point.count),
          "EVP_PKEY_set1_encoded_public_key")
        let context = mustExist(EVP_PKEY_CTX_new(key, nil), "EVP_PKEY_CTX_new")
        defer { EVP_PKEY_CTX_free(context) }
        mustSucceed(EVP_PKEY_derive_init(context), "EVP_PKEY_derive_init")
        // Any 32 bytes are a point, and the result is what is checked.
        mustSucceed(
          EVP_PKEY_derive_set_peer_ex(context, peer, 0), "EVP_PKEY_derive_set_peer_ex")
        var count = memory.count
        return EVP_PKEY_derive(context, memory.octets, &count) == 1 && count == memory.count
      }
    }
  }
}

// The library's key object is never changed after it was made, and its reference count is atomic.
extension X25519.PrivateKey: @unchecked Sendable {}
