import Crypto
import EventLoop
import Sealed

/// The sessions that a node has open.
struct NodeSessions {
  /// A client whose session had to make room opens another one.
  static let limit = 1024

  private var sessions: [[UInt8]: NodeSession] = [:]

  /// Adds a session; when there are too many, the one that was not used for longest goes.
  mutating func add(_ session: NodeSession) {
    if sessions.count >= Self.limit, let oldest = sessions.min(by: { $0.value < $1.value }) {
      sessions[oldest.key] = nil
    }
    sessions[session.id] = session
  }

  /// `nil` when there is none of that id, or its time is over.
  mutating func session(_ id: [UInt8], at now: BootInstant) -> NodeSession? {
    guard let session = sessions[id] else { return nil }
    guard now < session.end else {
      sessions[id] = nil
      return nil
    }
    return session
  }

  mutating func forget(_ id: [UInt8]) { sessions[id] = nil }
}

/// One client's session, as the node keeps it.
final class NodeSession {
  let id: [UInt8]
  private let expiry: BootInstant
  private var lastUse: BootInstant
  private var opener: AES256GCM.Opener
  private let responseKey: Secret
  private var used = UsedRequestIDs()

  init(id: [UInt8], keys: consuming SessionKeys, at now: BootInstant, lifetime: Duration) {
    self.id = id
    expiry = now + lifetime
    lastUse = now
    opener = AES256GCM.Opener(key: keys.request)
    responseKey = keys.response.duplicate()
  }

  /// From then on it is unknown: its lifetime is over, or it was idle for too long.
  var end: BootInstant { min(expiry, lastUse + SealedLimits.sessionIdle) }

  /// What seals one answer. Each has its own: answers are made at the same time.
  func responseSealer() -> AES256GCM.Sealer { AES256GCM.Sealer(key: responseKey) }

  /// Opens a request and uses up its id.
  ///
  /// The id counts only once the request is known to be the client's: anybody can send a header.
  func open(
    _ body: [UInt8], header: RequestEnvelope.Header, at now: BootInstant
  ) throws(SealingRefusal) -> (head: SealedRequestHead, body: [UInt8]) {
    guard !used.contains(header.requestID) else { throw .replayedRequest }
    let inner = try RequestEnvelope.openInner(body, header: header, with: &opener)
    used.insert(header.requestID)
    lastUse = max(lastUse, now)
    return try RequestEnvelope.parse(inner)
  }

  static func < (left: NodeSession, right: NodeSession) -> Bool { left.lastUse < right.lastUse }
}

/// The request ids that a session has seen. They come in nearly the order in which they are
/// handed out, since requests are sent at the same time.
struct UsedRequestIDs {
  /// How far behind the highest id another may still come.
  static let window: UInt64 = 1024

  private var highest: UInt64 = 0
  private var recent: Set<UInt64> = []

  /// Whether the id was used, or is so old that nobody can tell any more.
  func contains(_ id: UInt64) -> Bool {
    recent.contains(id) || (highest > Self.window && id <= highest - Self.window)
  }

  mutating func insert(_ id: UInt64) {
    recent.insert(id)
    highest = max(highest, id)
    guard recent.count > 2 * Self.window, highest > Self.window else { return }
    let oldest = highest - Self.window
    recent = recent.filter { $0 > oldest }
  }
}
