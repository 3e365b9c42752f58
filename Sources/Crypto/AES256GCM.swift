import COpenSSL

/// AES-256-GCM (NIST SP 800-38D) with nonces of 12 bytes and tags of 16.
///
/// A sealer or an opener keeps the expanded key for many messages. Both wipe it when they go.
package enum AES256GCM {
  package static let keySize = 32
  package static let nonceSize = 12
  package static let tagSize = 16

  /// One call of the library takes its lengths as C int.
  package static let longestMessage = Int(Int32.max) - tagSize

  /// Encrypts and authenticates with one key.
  package struct Sealer: ~Copyable {
    private let context: OpaquePointer

    /// - Precondition: `key` has 32 bytes.
    package init(key: borrowing Secret) {
      context = Self.context(key)
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    private static func context(_ key: borrowing Secret) -> OpaquePointer {
      precondition(key.count == AES256GCM.keySize)
      return key.withBytes { key in
        libcrypto {
          let context = mustExist(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
          mustSucceed(
            EVP_EncryptInit_ex(context, Algorithms.aes256GCM, nil, key.octets, nil),
            "EVP_EncryptInit_ex")
          return context
        }
      }
    }

    /// The ciphertext and, behind it, its tag.
    ///
    /// - Precondition: `nonce` has 12 bytes and was never used with this key before: a second
    ///   message under one nonce gives away both, and the key that authenticates.
    package mutating func seal(
      _ plaintext: some Collection<UInt8>, nonce: [UInt8], aad: some Collection<UInt8>
    ) -> [UInt8] {
      seal([], plaintext, nonce: nonce, aad: aad)
    }

    /// As above for one message in two pieces, with `prefix`, which stays as it is, in front: what
    /// is sent is made in one piece of memory.
    package mutating func seal(
      _ first: [UInt8], _ rest: some Collection<UInt8>, nonce: [UInt8],
      aad: some Collection<UInt8>, after prefix: [UInt8] = []
    ) -> [UInt8] {
      precondition(nonce.count == AES256GCM.nonceSize)
      precondition(rest.count <= AES256GCM.longestMessage - first.count)
      return rest.withMemory { rest in
        aad.withMemory { aad in sealed(first, rest, nonce: nonce, aad: aad, after: prefix) }
      }
    }

    private mutating func sealed(
      _ first: [UInt8], _ rest: UnsafeRawBufferPointer, nonce: [UInt8],
      aad: UnsafeRawBufferPointer, after prefix: [UInt8]
    ) -> [UInt8] {
      let start = prefix.count
      let end = start + first.count + rest.count
      return [UInt8](unsafeUninitializedCapacity: end + AES256GCM.tagSize) { output, count in
        _ = output.update(fromContentsOf: prefix)
        libcrypto {
          var written: CInt = 0
          mustSucceed(EVP_EncryptInit_ex(context, nil, nil, nil, nonce), "EVP_EncryptInit_ex")
          mustSucceed(
            EVP_EncryptUpdate(context, nil, &written, aad.octets, CInt(aad.count)),
            "EVP_EncryptUpdate")
          // GCM is a stream: pieces may have any length, and nothing is left for the end.
          let place = output.baseAddress.map { $0 + start }
          mustSucceed(
            EVP_EncryptUpdate(context, place, &written, first, CInt(first.count)),
            "EVP_EncryptUpdate")
          mustSucceed(
            EVP_EncryptUpdate(
              context, place.map { $0 + first.count }, &written, rest.octets, CInt(rest.count)),
            "EVP_EncryptUpdate")
          // The tag is made here.
          mustSucceed(EVP_EncryptFinal_ex(context, nil, &written), "EVP_EncryptFinal_ex")
          let tag = output.baseAddress.map { $0 + end }
          mustSucceed(
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(AES256GCM.tagSize), tag),
            "EVP_CIPHER_CTX_ctrl")
        }
        count = end + AES256GCM.tagSize
      }
    }
  }

  /// Checks and decrypts with one key.
  package struct Opener: ~Copyable {
    private let context: OpaquePointer

    /// - Precondition: `key` has 32 bytes.
    package init(key: borrowing Secret) {
      context = Self.context(key)
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    private static func context(_ key: borrowing Secret) -> OpaquePointer {
      precondition(key.count == AES256GCM.keySize)
      return key.withBytes { key in
        libcrypto {
          let context = mustExist(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
          mustSucceed(
            EVP_DecryptInit_ex(context, Algorithms.aes256GCM, nil, key.octets, nil),
            "EVP_DecryptInit_ex")
          return context
        }
      }
    }

    /// The plaintext of `sealed`, a ciphertext with its tag behind it.
    ///
    /// - Precondition: `nonce` has 12 bytes.
    /// - Throws: `CryptoError.notAuthentic`; nothing of the plaintext is kept then.
    package mutating func open(
      _ sealed: some Collection<UInt8>, nonce: [UInt8], aad: some Collection<UInt8>
    ) throws(CryptoError) -> [UInt8] {
      precondition(nonce.count == AES256GCM.nonceSize)
      guard sealed.count >= AES256GCM.tagSize, sealed.count <= AES256GCM.longestMessage else {
        throw .notAuthentic
      }
      let opened = sealed.withMemory { sealed in
        aad.withMemory { aad in self.opened(sealed, nonce: nonce, aad: aad) }
      }
      guard let opened else { throw .notAuthentic }
      return opened
    }

    private mutating func opened(
      _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], aad: UnsafeRawBufferPointer
    ) -> [UInt8]? {
      let size = sealed.count - AES256GCM.tagSize
      // The library does not write to the tag, but its prototype cannot say so.
      var tag = [UInt8](sealed[size...])
      var authentic = false
      // With no room at all, the length would be written to the empty array that all threads share.
      var plaintext = [UInt8](unsafeUninitializedCapacity: max(1, size)) { output, count in
        libcrypto {
          var written: CInt = 0
          mustSucceed(EVP_DecryptInit_ex(context, nil, nil, nil, nonce), "EVP_DecryptInit_ex")
          mustSucceed(
            EVP_DecryptUpdate(context, nil, &written, aad.octets, CInt(aad.count)),
            "EVP_DecryptUpdate")
          mustSucceed(
            EVP_DecryptUpdate(context, output.baseAddress, &written, sealed.octets, CInt(size)),
            "EVP_DecryptUpdate")
          mustSucceed(
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(tag.count), &tag),
            "EVP_CIPHER_CTX_ctrl")
          authentic = EVP_DecryptFinal_ex(context, nil, &written) == 1
        }
        count = size
      }
      guard authentic else {
        Secret.wipe(&plaintext)
        return nil
      }
      return plaintext
    }
  }
}

// Each context has one owner, is changed by mutating functions only, and the library keeps no
// state of a context anywhere else: whoever holds the value may use it, on any thread.
extension AES256GCM.Sealer: @unchecked Sendable {}
extension AES256GCM.Opener: @unchecked Sendable {}
