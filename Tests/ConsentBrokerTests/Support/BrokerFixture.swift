import Callback
import Desktop
import EventLoop
import FoundationEssentials
import Glibc
import MeroConsent
import Synchronization
import Testing

@testable import ConsentBroker

/// A broker on a real ledger, with a node that a test plays.
@LoopActor final class BrokerFixture {
  let directory: TemporaryDirectory
  let node = TestNode()
  let records = Records()
  private(set) var broker: Broker
  private(set) var ledger: Ledger
  private let settings: BrokerSettings
  private var tools: BrokerTools
  private(set) var opened: [String] = []
  private(set) var finished: [String] = []
  private let made = MadeClients()
  /// The trust of each client that was made.
  var trusts: [NodeTrust] { made.trusts }
  /// Whether a browser can be opened.
  var hasBrowser = true
  /// By how much the wall clock was set.
  nonisolated let wallClock = WallClockError()

  /// What keeps tokens over a restart, where something does.
  let store: TestStore?

  init(
    sessionTimeout: Duration = .hours(8), at path: String? = nil, store: TestStore? = nil,
    keepsNotes: Bool = false
  ) async throws {
    self.store = store
    directory = try TemporaryDirectory()
    settings = BrokerSettings(version: "1.2.3", sessionTimeout: sessionTimeout)
    tools = BrokerTools { _, _ throws(PageUnavailable) in .unknown }
    ledger = try LedgerFile(directory: path ?? directory.path).open().ledger
    broker = Broker(
      ledger: ledger, settings: settings, tools: tools, log: Log(level: .error), stateReset: false)
    let (node, made) = (node, made)
    tools.makeClient = { parts throws(ConsentError) in
      made.note(parts.trust)
      return try MeroClient(
        node: parts.node, tokens: parts.tokens, origins: parts.origins, returnTo: parts.returnTo,
        transport: node, clock: .system, onTokensChanged: parts.onTokensChanged)
    }
    tools.openPage = { [weak self] url, _ throws(PageUnavailable) in
      try self?.open(url) ?? .unknown
    }
    if keepsNotes {
      tools.verdictNotes = VerdictNotes(in: OwnFolder(directory.path, owner: geteuid()))
    }
    tools.now = { [wallClock] in Date().addingTimeInterval(wallClock.seconds) }
    try await renew()
  }

  private func renew() async throws {
    tools.secrets = store.map { SessionSecrets($0.given(), store: $0, log: records.log()) }
    broker = Broker(
      ledger: ledger, settings: settings, tools: tools, log: records.log(), stateReset: false)
    broker.callback = CallbackAddress(port: 17463, hasIPv4: true, hasIPv6: true)
    broker.onFinished = { [weak self] kind, state, _ in
      self?.finished.append("\(kind) \(state.rawValue)")
    }
    try await broker.restore()
  }

  /// From here on nothing is read but for returns: for who counts what they have read.
  func watchNothing() { broker.watcher.stop() }

  private func open(_ url: String) throws(PageUnavailable) -> PageOpening {
    guard hasBrowser else { throw PageUnavailable(.noBrowser) }
    opened.append(url)
    return .opened
  }

  /// The daemon ends and starts again on the same record.
  func restart() async throws {
    broker.stop()
    await broker.close()
    try await startAgain()
  }

  /// It is killed, and another one starts.
  func replaceKilled() async throws {
    broker.stop()
    await ledger.close()
    try await startAgain()
  }

  private func startAgain() async throws {
    ledger = try LedgerFile(directory: directory.path).open().ledger
    try await renew()
  }

  func openSession(
    account: String? = nil, origins: [String] = [], returnTo: String? = nil,
    accessToken: String = "access-token-secret", package: String = "com.example.notes",
    trust: SessionTrust? = .node(.transportKey(String(repeating: "0f", count: 32)))
  ) async throws -> (caller: Caller, key: String) {
    let opening = SessionOpening(
      package: package, account: account, nodeURL: TestNode.origin,
      trust: trust,
      tokens: SessionTokens(accessToken: accessToken, refreshToken: "refresh-token-secret"),
      origins: origins, returnTo: returnTo)
    let opened = try await broker.openSession(opening)
    return (try broker.authenticate(key: opened.key), opened.key)
  }

  /// A request that the node has taken.
  func start(_ caller: Caller, name: String = "Acme", key: String? = nil) async throws
    -> RequestView
  {
    try await broker.start(
      .createOrg(name: name), open: false, idempotencyKey: key, for: caller
    ).view
  }

  /// A request of which the node does `then` as soon as it has it, before anybody can have read it.
  func start(_ caller: Caller, then: () -> Void) async throws -> RequestView {
    node.holdAnswers()
    let starting = Task.immediate { try await start(caller) }
    await node.arrival()
    then()
    node.release()
    return try await starting.value
  }

  /// What the record has of a request.
  func row(_ id: String, _ caller: Caller) async throws -> RequestRow? {
    try await ledger.request(id, of: caller.session)
  }

  /// The last part of the callback's address.
  func ticket(of view: RequestView) throws -> String {
    try #require(view.callback?.split(separator: "/").last.map(String.init))
  }

  /// The page that a return ends on, once its verdict is found.
  func page(_ ticket: String?, _ query: String?) async -> PageState? {
    guard case .done(let view) = await broker.callback(ticket: ticket, rawQuery: query) else {
      return nil
    }
    return await broker.page(ticket: view, until: .now + .seconds(60))
  }

  func events(_ caller: Caller) async throws -> [BrokerEvent] {
    try await ledger.events(of: caller.session, after: 0, limit: 1000)
  }
}

/// What clients were made of.
final class MadeClients: Sendable {
  private let made = Mutex<[NodeTrust]>([])

  var trusts: [NodeTrust] { made.withLock { $0 } }

  func note(_ trust: NodeTrust) { made.withLock { $0.append(trust) } }
}

/// A wall clock that is set while others read it.
final class WallClockError: Sendable {
  private let error = Mutex<TimeInterval>(0)

  var seconds: TimeInterval {
    get { error.withLock { $0 } }
    set { error.withLock { $0 = newValue } }
  }
}

/// What a call is refused with: a protocol code, or the broker's own case.
func refusal(_ body: () async throws -> some Any) async -> String? {
  do {
    _ = try await body()
    return nil
  } catch {
    switch error as? Problem {
    case .consent(let error, _): return error.code.rawValue
    case .unauthorized: return "unauthorized"
    case .noSession: return "no session"
    case .notFound: return "notFound"
    case .tooMany(let limit, _): return "tooMany \(limit.rawValue)"
    case .idempotencyKeyReused: return "idempotencyKeyReused"
    case .invalid(let field, _): return "invalid \(field)"
    case .sessionIsConfigured: return "sessionIsConfigured"
    case .stopping: return "stopping"
    case nil: return "\(error)"
    }
  }
}

extension Broker {
  /// As the edge hands a key over.
  func authenticate(key: String?) throws(Problem) -> Caller {
    try authenticate(key: key.map { Array($0.utf8)[...] })
  }
}
