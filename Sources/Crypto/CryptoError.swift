/// Why a cryptographic operation has no result. Every case is an answer to a peer's input.
package enum CryptoError: Error, Equatable, Sendable {
  /// A key that is not 32 bytes long.
  case keyLength
  /// The peer's public key is a low-order point: the agreed secret would be zero, and known to all.
  case lowOrderPoint
  /// The bytes were not sealed with this key, nonce and associated data, or were changed.
  case notAuthentic
}
