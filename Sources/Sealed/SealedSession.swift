import Crypto

/// One session with a node: its keys, its numbers, its end. Belongs to one channel's actor.
final class SealedSession {
  /// The transport key that it was opened with.
  let transportKey: X25519.PublicKey
  private let sessionID: [UInt8]
  private let renewal: Duration
  private var lastUse: Duration
  private var nextRequestID: UInt64 = 1

  private var keys: Keys?
  private var exchanges = 0
  private var retired = false
  /// Ends the session when its time is over and nobody asks.
  var watch: Task<Void, Never>?

  private struct Keys: ~Copyable {
    var sealer: AES256GCM.Sealer
    var opener: AES256GCM.Opener

    mutating func seal(
      _ head: SealedRequestHead, body: [UInt8], header: RequestEnvelope.Header
    ) -> [UInt8] {
      RequestEnvelope.seal(head, body: body, header: header, with: &sealer)
    }

    mutating func open(_ piece: [UInt8], into reader: inout FrameReader) throws(SealedFlaw) {
      try reader.receive(piece, with: &opener)
    }
  }

  /// - Parameter opened: when the handshake was sent; the node counts from a little later.
  init(_ grant: consuming SessionGrant, transportKey: X25519.PublicKey, opened: Duration) {
    self.transportKey = transportKey
    sessionID = grant.sessionID
    let lifetime = min(.seconds(Int64(grant.lifetime)), SealedLimits.sessionLifetime)
    // A life shorter than two margins is halved, so that a new session is of use at all.
    renewal = opened + max(lifetime - SealedLimits.renewalMargin, lifetime / 2)
    lastUse = opened
    let keys = grant.takeKeys()
    self.keys = Keys(
      sealer: AES256GCM.Sealer(key: keys.request), opener: AES256GCM.Opener(key: keys.response))
  }

  deinit { watch?.cancel() }

  /// When the session must not be used any more: renewal is due, or the node has dropped it.
  var end: Duration { min(renewal, lastUse + SealedLimits.sessionIdle) }

  /// Whether another request may be sent in it.
  func isUsable(at now: Duration) -> Bool { !retired && now < end }

  var isWiped: Bool { keys == nil }

  /// Seals one request under an id of its own, and counts it as under way until `finish`.
  ///
  /// - Returns: `nil` when the keys are gone.
  func begin(
    _ head: SealedRequestHead, body: [UInt8], now: Duration
  ) -> (header: RequestEnvelope.Header, sealed: [UInt8])? {
    let header = RequestEnvelope.Header(sessionID: sessionID, requestID: nextRequestID)
    guard let sealed = keys?.seal(head, body: body, header: header) else { return nil }
    nextRequestID += 1
    exchanges += 1
    lastUse = now
    return (header, sealed)
  }

  /// Feeds a piece of an answer to its reader.
  ///
  /// - Returns: false when the keys are gone.
  func open(_ piece: [UInt8], into reader: inout FrameReader) throws(SealedFlaw) -> Bool {
    try keys?.open(piece, into: &reader) != nil
  }

  /// One request that `begin` counted is over.
  func finish() {
    exchanges -= 1
    wipeIfOver()
  }

  /// No more requests; the keys go with the last one that is under way.
  func retire() {
    retired = true
    watch?.cancel()
    wipeIfOver()
  }

  /// The keys go now, whatever is under way.
  func wipe() {
    retired = true
    watch?.cancel()
    keys = nil
  }

  private func wipeIfOver() {
    if retired, exchanges == 0 { keys = nil }
  }
}
