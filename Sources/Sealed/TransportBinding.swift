package import Crypto

/// How a TDX quote commits to a transport key: by its report data.
package enum TransportBinding {
  /// The length of a nonce, and of the inner value.
  package static let nonceSize = 32

  private static let domain = Array("calimero.tee-attest.transport-key.v1".utf8)
  private static let noApplication = [UInt8](repeating: 0, count: 32)

  /// The 64 bytes of report data: the nonce, then a hash over the inner value and the key.
  ///
  /// - Parameters:
  ///   - nonce: the client's 32 fresh bytes.
  ///   - inner: the 32-byte application hash that the client expects; 32 zero bytes for none.
  package static func reportData(
    nonce: [UInt8], inner: [UInt8]? = nil, key: X25519.PublicKey
  ) -> [UInt8] {
    nonce + commitment(inner: inner ?? noApplication, key: key)
  }

  package static func commitment(inner: [UInt8], key: X25519.PublicKey) -> [UInt8] {
    SHA256.hash(domain + inner + key.bytes)
  }
}
