import COpenSSL

/// ECDSA on P-256 with SHA-256 (FIPS 186-4), for verifying.
package enum ECDSAP256 {
  /// Bytes in r and s together, and in x and y together.
  package static let size = 64

  /// A point of the curve that signatures are verified with.
  package struct PublicKey: ~Copyable {
    private let key: OpaquePointer

    // Frees the one reference that `init` took.
    deinit { EVP_PKEY_free(key) }

    /// - Parameter coordinates: x and y, big endian, 64 bytes, without the leading 04.
    /// - Returns: `nil` when they are no point of the curve.
    package init?(coordinates: some Collection<UInt8>) {
      guard coordinates.count == ECDSAP256.size else { return nil }
      var point: [UInt8] = [0x04]  // uncompressed
      point.append(contentsOf: coordinates)
      guard let key = libcrypto({ Self.load(&point) }) else { return nil }
      self.key = key
    }

    /// - Precondition: `key` is a P-256 key, and this value owns one reference to it.
    init(adopting key: OpaquePointer) { self.key = key }

    /// Whether `signature` is one of this key over `message`.
    ///
    /// - Parameter signature: r and s, big endian, 32 bytes each. Any other length, and numbers
    ///   outside 1 to n-1, are a bad signature. Of s and n-s both are good.
    package borrowing func isSignature(
      _ signature: some Collection<UInt8>, over message: some Collection<UInt8>
    ) -> Bool {
      guard signature.count == ECDSAP256.size else { return false }
      let value =
        Self.integer(signature.prefix(ECDSAP256.size / 2))
        + Self.integer(signature.dropFirst(ECDSAP256.size / 2))
      return isSignature(der: [DERTag.sequence, UInt8(value.count)] + value, over: message)
    }

    /// - Parameter signature: an ECDSA-Sig-Value (RFC 3279, section 2.2.3).
    package borrowing func isSignature(
      der signature: some Collection<UInt8>, over message: some Collection<UInt8>
    ) -> Bool {
      libcrypto {
        let context = mustExist(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        defer { EVP_MD_CTX_free(context) }
        mustSucceed(
          EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key), "EVP_DigestVerifyInit")
        // 1 is good, 0 is bad, a negative number is no signature at all.
        return signature.withMemory { signature in
          message.withMemory { message in
            EVP_DigestVerify(
              context, signature.octets, signature.count, message.octets, message.count) == 1
          }
        }
      }
    }

    /// `libcrypto` checks that the point is on the curve while it reads it.
    private static func load(_ point: inout [UInt8]) -> OpaquePointer? {
      let context = mustExist(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EVP_PKEY_CTX_new")
      defer { EVP_PKEY_CTX_free(context) }
      mustSucceed(EVP_PKEY_fromdata_init(context), "EVP_PKEY_fromdata_init")
      var key: OpaquePointer?
      point.withUnsafeMutableBytes { point in
        var parameters = [
          // The parameters keep these pointers, so the names must be constants of the program.
          OSSL_PARAM_construct_utf8_string(
            Self.constant("group"), UnsafeMutablePointer(mutating: Self.constant("P-256")), 0),
          OSSL_PARAM_construct_octet_string(
            Self.constant("pub"), point.baseAddress, point.count),
          OSSL_PARAM_construct_end(),
        ]
        if EVP_PKEY_fromdata(context, &key, copenssl_public_key_selection, &parameters) != 1 {
          EVP_PKEY_free(key)
          key = nil
        }
      }
      return key
    }

    private static func constant(_ text: StaticString) -> UnsafePointer<CChar> {
      UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// A DER INTEGER of an unsigned big-endian number: no needless zeros, and one where the
    /// highest bit would read as a sign.
    private static func integer(_ number: some Collection<UInt8>) -> [UInt8] {
      var digits = Array(number.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
      return [DERTag.integer, UInt8(digits.count)] + digits
    }
  }
}
