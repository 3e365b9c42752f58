import Crypto
import EventLoop
import FoundationEssentials
import MeroConsent

/// The open sessions, with the tokens and clients that are only in memory.
@LoopActor final class SessionVault {
  /// How often a session's use is written down at most: a restart may forget this much.
  static let touchInterval: TimeInterval = 600

  private var sessions: [String: Session] = [:]
  /// By the SHA-256 of their keys. A hash is not secret-dependent to compare, but the last word
  /// is `ConstantTime.equal`.
  private var byKeyHash: [KeyHash: Session] = [:]
  /// For the keys of calls, each of which comes here.
  private var hasher = SHA256()
  private let burstEnd = BurstEnd()

  init() {}

  var count: Int { sessions.count }
  /// Those that apps opened.
  var countOfApps: Int { sessions.values.count { !$0.isConfigured } }
  var all: some Collection<Session> { sessions.values }

  func add(_ session: Session) {
    sessions[session.id] = session
    byKeyHash[KeyHash(session.row.keyHash)] = session
    burstEnd.countChanged(to: count)
  }

  /// The configuration says something else of a session, maybe with another key.
  func change(_ session: Session, to row: SessionRow, trust: SessionTrust) {
    byKeyHash[KeyHash(session.row.keyHash)] = nil
    session.change(to: row, trust: trust)
    byKeyHash[KeyHash(row.keyHash)] = session
  }

  /// The session that a key opens.
  func session(key: ArraySlice<UInt8>) -> Session? {
    let hash = key.withUnsafeBufferPointer { hasher.hash($0) }
    guard let session = byKeyHash[KeyHash(hash.span)],
      ConstantTime.equal(session.row.keyHash.span, hash.span)
    else { return nil }
    return session
  }

  func session(id: String) -> Session? { sessions[id] }

  /// Ends what memory holds of a session: calls under way, tokens, keys.
  func remove(_ session: Session) {
    session.close()
    guard sessions[session.id] === session else { return }
    sessions[session.id] = nil
    byKeyHash[KeyHash(session.row.keyHash)] = nil
    session.tokens = nil
    let client = session.client
    session.client = nil
    if let client { Task { await client.close() } }
    burstEnd.countChanged(to: count)
  }

  /// Waits for renewals of tokens that are under way, at the latest until `deadline`: the old tokens
  /// are spent as soon as the node has the call.
  func refreshesEnd(of sessions: [Session], until deadline: BootInstant) async {
    let clients = sessions.compactMap(\.client)
    let waiter = Waiter()
    let all = Task {
      for client in clients { await client.refreshEnds() }
      waiter.signal()
    }
    _ = await waiter.wait(until: deadline)
    all.cancel()
  }

  /// Wipes every client, at the end of the daemon.
  func closeAll() async {
    burstEnd.stop()
    let clients = sessions.values.compactMap(\.client)
    for session in sessions.values { (session.client, session.tokens) = (nil, nil) }
    for client in clients { await client.close() }
  }
}
