package import Crypto

/// The running hash and keys of a Noise handshake (revision 34, section 5.2), for
/// `25519_AESGCM_SHA256`.
struct SymmetricState: ~Copyable {
  private var hash: [UInt8]
  private var chainingKey: Secret
  /// Empty until the first `mixKey`.
  private var key: Secret
  private var counter: UInt64 = 0

  /// - Precondition: the name has at most 32 bytes, as Noise then uses it without hashing.
  init(protocolName: String) {
    let name = Array(protocolName.utf8)
    precondition(name.count <= SHA256.size)
    hash = name + [UInt8](repeating: 0, count: SHA256.size - name.count)
    chainingKey = Secret(copying: hash)
    key = Secret(copying: [])
  }

  mutating func mixHash(_ data: some Collection<UInt8>) {
    hash = SHA256.hash(hash + data)
  }

  mutating func mixKey(_ input: borrowing Secret) {
    key = HKDF.advance(&chainingKey, input: input)
    counter = 0
  }

  mutating func encryptAndHash(_ plaintext: [UInt8]) -> [UInt8] {
    var sealer = AES256GCM.Sealer(key: key)
    let sealed = sealer.seal(plaintext, nonce: nextNonce(), aad: hash)
    mixHash(sealed)
    return sealed
  }

  mutating func decryptAndHash(_ sealed: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
    var opener = AES256GCM.Opener(key: key)
    let plaintext = try opener.open(sealed, nonce: nextNonce(), aad: hash)
    mixHash(sealed)
    return plaintext
  }

  /// The transport keys: the initiator's first, the responder's second.
  consuming func split() -> SessionKeys {
    let second = HKDF.advance(&chainingKey, input: Secret(copying: []))
    return SessionKeys(request: chainingKey, response: second)
  }

  /// Four zero bytes, then the counter, big-endian (section 12.4).
  private mutating func nextNonce() -> [UInt8] {
    defer { counter += 1 }
    return [0, 0, 0, 0] + counter.bigEndianBytes
  }
}

/// The two keys of a session, 32 bytes each, used raw as AES-256-GCM keys.
package struct SessionKeys: ~Copyable, Sendable {
  /// The client seals with it.
  package let request: Secret
  /// The node seals with it.
  package let response: Secret
}

extension FixedWidthInteger {
  /// The bytes of the number, the most significant first.
  var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { shift in
      UInt8(truncatingIfNeeded: self >> Self(shift))
    }
  }

  /// The number that the first bytes of `bytes` are, the most significant first.
  ///
  /// - Precondition: there are enough.
  init(bigEndian bytes: some Collection<UInt8>) {
    let size = Self.bitWidth / 8
    precondition(bytes.count >= size)
    self = bytes.prefix(size).reduce(0) { number, byte in number << 8 | Self(byte) }
  }
}
