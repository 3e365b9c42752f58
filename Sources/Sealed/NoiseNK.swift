import Crypto

/// `Noise_NK_25519_AESGCM_SHA256` (revision 34, section 7.5): the initiator knows the responder's
/// static key and stays anonymous itself.
///
///     <- s
///     ...
///     -> e, es
///     <- e, ee
enum NoiseNK {
  static let name = "Noise_NK_25519_AESGCM_SHA256"

  /// Where both sides begin.
  static func start(prologue: [UInt8], responder: X25519.PublicKey) -> SymmetricState {
    var state = SymmetricState(protocolName: name)
    state.mixHash(prologue)
    state.mixHash(responder.bytes)
    return state
  }

  /// An ephemeral key and a tag, around the payload.
  static let overhead = X25519.size + AES256GCM.tagSize
}

/// What a handshake ends with: the second message's payload and the keys.
struct NoiseResult: ~Copyable {
  let payload: [UInt8]
  let keys: SessionKeys
}

/// The client's side of one handshake.
struct NKInitiator: ~Copyable {
  private var state: SymmetricState
  private let ephemeral: X25519.PrivateKey
  private let responder: X25519.PublicKey

  init(
    responder: X25519.PublicKey, prologue: [UInt8], ephemeral: consuming X25519.PrivateKey
  ) {
    state = NoiseNK.start(prologue: prologue, responder: responder)
    self.ephemeral = ephemeral
    self.responder = responder
  }

  /// e, es and an empty payload: 48 bytes.
  ///
  /// - Throws: `CryptoError.lowOrderPoint` when the responder's static key is one.
  mutating func firstMessage() throws(CryptoError) -> [UInt8] {
    let own = ephemeral.publicKey.bytes
    state.mixHash(own)
    state.mixKey(try ephemeral.agree(with: responder))
    return own + state.encryptAndHash([])
  }

  /// Reads e, ee and the payload.
  ///
  /// - Throws: `CryptoError.lowOrderPoint`, `.notAuthentic` (also for a message that is too short)
  consuming func finish(
    secondMessage message: some Collection<UInt8>
  ) throws(CryptoError) -> NoiseResult {
    guard message.count >= NoiseNK.overhead else { throw .notAuthentic }
    let peer = try X25519.PublicKey(message.prefix(X25519.size))
    state.mixHash(peer.bytes)
    state.mixKey(try ephemeral.agree(with: peer))
    let payload = try state.decryptAndHash(message.dropFirst(X25519.size))
    return NoiseResult(payload: payload, keys: state.split())
  }
}

/// The node's side of one handshake.
struct NKResponder: ~Copyable {
  private var state: SymmetricState
  private let initiator: X25519.PublicKey

  /// Reads e, es and the payload, which must be empty.
  ///
  /// - Throws: `CryptoError.lowOrderPoint`, `.notAuthentic`
  init(
    firstMessage message: some Collection<UInt8>, prologue: [UInt8],
    key: borrowing X25519.PrivateKey
  ) throws(CryptoError) {
    guard message.count == NoiseNK.overhead else { throw .notAuthentic }
    let peer = try X25519.PublicKey(message.prefix(X25519.size))
    var state = NoiseNK.start(prologue: prologue, responder: key.publicKey)
    state.mixHash(peer.bytes)
    state.mixKey(try key.agree(with: peer))
    _ = try state.decryptAndHash(message.dropFirst(X25519.size))
    self.state = state
    initiator = peer
  }

  /// e, ee and `payload`, with the keys that follow from it.
  ///
  /// - Throws: `CryptoError.lowOrderPoint`
  consuming func finish(
    payload: [UInt8], ephemeral: borrowing X25519.PrivateKey
  ) throws(CryptoError) -> NoiseReply {
    let own = ephemeral.publicKey.bytes
    state.mixHash(own)
    state.mixKey(try ephemeral.agree(with: initiator))
    let message = own + state.encryptAndHash(payload)
    return NoiseReply(message: message, keys: state.split())
  }
}

/// What the responder ends with.
struct NoiseReply: ~Copyable {
  let message: [UInt8]
  let keys: SessionKeys
}
