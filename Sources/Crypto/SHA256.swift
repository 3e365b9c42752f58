import COpenSSL

/// SHA-256 (FIPS 180-4), piece by piece or at once.
package struct SHA256: ~Copyable {
  /// The length of a digest in bytes.
  package static let size = 32

  private let context: OpaquePointer

  package init() {
    context = libcrypto {
      let context = mustExist(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
      mustSucceed(EVP_DigestInit_ex(context, Algorithms.sha256, nil), "EVP_DigestInit_ex")
      return context
    }
  }

  // Freeing a context wipes what it holds of the input.
  deinit { EVP_MD_CTX_free(context) }

  package mutating func update(_ bytes: some Collection<UInt8>) {
    bytes.withMemory { memory in
      libcrypto {
        mustSucceed(
          EVP_DigestUpdate(context, memory.baseAddress, memory.count), "EVP_DigestUpdate")
      }
    }
  }

  /// The digest of everything that was fed, 32 bytes.
  package consuming func finish() -> [UInt8] {
    return libcrypto {
      [UInt8](unsafeUninitializedCapacity: Self.size) { digest, count in
        mustSucceed(EVP_DigestFinal_ex(context, digest.baseAddress, nil), "EVP_DigestFinal_ex")
        count = Self.size
      }
    }
  }

  /// A digest that needs no memory of its own.
  package typealias Digest = InlineArray<32, UInt8>

  /// The digest of `bytes` alone: whoever hashes often keeps the context.
  package mutating func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Digest {
    var result = Digest(repeating: 0)
    var span = result.mutableSpan
    span.withUnsafeMutableBufferPointer { digest in
      libcrypto {
        mustSucceed(EVP_DigestInit_ex(context, nil, nil), "EVP_DigestInit_ex")
        mustSucceed(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count), "EVP_DigestUpdate")
        mustSucceed(EVP_DigestFinal_ex(context, digest.baseAddress, nil), "EVP_DigestFinal_ex")
      }
    }
    return result
  }

  /// The digest of `bytes`, 32 bytes.
  package static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
    bytes.withMemory { hash($0) }
  }

  /// The same for bytes that lie together.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { hash($0) } }

  private static func hash(_ memory: UnsafeRawBufferPointer) -> [UInt8] {
    libcrypto {
      [UInt8](unsafeUninitializedCapacity: size) { digest, count in
        mustSucceed(
          EVP_Digest(
            memory.baseAddress, memory.count, digest.baseAddress, nil, Algorithms.sha256, nil),
          "EVP_Digest")
        count = size
      }
    }
  }
}
