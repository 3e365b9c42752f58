import Crypto
import DevelopmentNode
import EventLoop
import Sealed

/// The client's side of one session with a `NodeSealing`, without any of a client's caution.
struct SealingClient: ~Copyable {
  let sessionID: [UInt8]
  let lifetime: UInt32
  private var sealer: AES256GCM.Sealer
  private var opener: AES256GCM.Opener

  init(with node: inout NodeSealing, at now: BootInstant) throws {
    let handshake = try ClientHandshake(key: X25519.PublicKey(node.transportKey))
    let reply = try node.handshake(handshake.request, at: now)
    let grant = try handshake.finish(reply: reply)
    sessionID = grant.sessionID
    lifetime = grant.lifetime
    let keys = grant.takeKeys()
    sealer = AES256GCM.Sealer(key: keys.request)
    opener = AES256GCM.Opener(key: keys.response)
  }

  func header(_ requestID: UInt64) -> RequestEnvelope.Header {
    RequestEnvelope.Header(sessionID: sessionID, requestID: requestID)
  }

  /// The body of a POST.
  mutating func request(
    _ requestID: UInt64, path: String = "/consent/requests", body: [UInt8] = []
  ) -> [UInt8] {
    RequestEnvelope.seal(
      SealedRequestHead(
        method: "POST", path: path, fields: [SealedField("authorization", "Bearer token")]),
      body: body, header: header(requestID), with: &sealer)
  }

  /// The body of a POST with anything at all in it.
  mutating func request(_ requestID: UInt64, inner: [UInt8]) -> [UInt8] {
    let header = header(requestID).bytes
    let nonce = Array(header[17...]) + [0, 0, 0, 0]
    return header + sealer.seal(inner, nonce: nonce, aad: header)
  }

  mutating func answer(
    to requestID: UInt64, in stream: [UInt8]
  ) throws -> (head: SealedResponseHead, body: [UInt8]) {
    var reader = FrameReader(header: header(requestID), bodyLimit: SealedLimits.responseBody)
    try reader.receive(stream, with: &opener)
    return try reader.finish()
  }
}

extension BootInstant {
  /// A moment like any other.
  static let noon = BootInstant(nanoseconds: 43_200_000_000_000)
}
