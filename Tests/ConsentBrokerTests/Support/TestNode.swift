import Crypto
import EventLoop
import FoundationEssentials
import MeroConsent

/// A node as the broker's client sees it, without the sealing: a test decides what it answers.
@LoopActor final class TestNode: NodeTransport {
  /// What the node has of one request.
  enum State: Equatable {
    case pending
    case approved(outcome: String?)
    case declined
    /// 404.
    case gone
    /// Another status, or a body that is no answer.
    case broken(status: Int, body: String)
  }

  private var states: [String: State] = [:]
  private(set) var calls: [String] = []
  private(set) var bearers: [String?] = []
  private var nextNumber = 1
  /// The id of the next request, where a test wants a certain one.
  var nextId: String?
  var lifetime: TimeInterval = 300
  /// Bytes that a new page's address has more than it needs.
  var pagePadding = 0
  /// By how much this node's clock is ahead of ours.
  var clockSkew: TimeInterval = 0
  /// Whether an answer about a result has a `Date`.
  var tellsTime = false
  /// Whether no call comes through.
  var isDown = false
  var tokensAreRefused = false
  /// Reads are answered 503 with this many seconds of `Retry-After`.
  var busyFor: Int?
  /// What the node takes, where it looks; a refresh brings the next one.
  var accessToken: String?
  private(set) var refreshes = 0
  /// What clients that are in use were told to trust it by.
  private(set) var trusts: [NodeTrust?] = []
  /// Whether calls that wait end with the first client that is closed, as they do where each has a node
  /// of its own.
  var cutsWhenClosed = false
  private var isCut = false
  private enum Hold { case nothing, calls, answers, refreshes }
  private var hold = Hold.nothing
  private var held: [Int: UnsafeContinuation<Void, Never>] = [:]
  private var nextHeld = 0
  private var arrivals: [UnsafeContinuation<Void, Never>] = []

  nonisolated init() {}

  static let origin = "https://node.example"

  // MARK: What a test does

  func decide(_ id: String, _ state: State) { states[id] = state }

  func approve(_ id: String) {
    states[id] = .approved(outcome: #"{"kind":"orgCreated","orgId":"org-\#(id)"}"#)
  }

  /// Calls wait at the door until `release()`.
  func holdCalls() { hold = .calls }

  /// Answers that were made are on their way until `release()`.
  func holdAnswers() { hold = .answers }

  /// Answers with new tokens are on their way until `release()`.
  func holdRefreshes() { hold = .refreshes }

  /// The access token that everybody has is expired.
  func expireTokens() {
    refreshes += 1
    accessToken = "access-\(refreshes)"
  }

  func release() {
    hold = .nothing
    for (_, call) in held.sorted(by: { $0.key < $1.key }) { call.resume() }
    held = [:]
  }

  /// Returns once a call waits at the door.
  func arrival() async {
    if !held.isEmpty { return }
    await withUnsafeContinuation { arrivals.append($0) }
  }

  /// Returns once so many calls wait at the door.
  func arrivals(_ count: Int) async throws {
    try await LoopActor.until { held.count >= count }
  }

  func reads(of id: String) -> Int { calls.count { $0 == "GET /consent/\(id)/result" } }
  var starts: Int { calls.count { $0 == "POST /consent/requests" } }
  var lastBody = ""

  // MARK: NodeTransport

  @LoopActor func send(_ call: NodeCall) async throws(ConsentError) -> NodeReply {
    calls.append("\(call.method) \(call.path)")
    bearers.append(call.bearer?.revealed)
    if hold == .calls { try await wait() }
    let reply = try answer(call)
    if hold == .answers || hold == .refreshes && call.path == "/auth/refresh" { try await wait() }
    return reply
  }

  /// Until `release()`; a call that is cancelled has no answer, as with a real node.
  private func wait() async throws(ConsentError) {
    let number = nextHeld
    nextHeld += 1
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume() }
        held[number] = continuation
        for arrival in arrivals { arrival.resume() }
        arrivals = []
      }
    } onCancel: {
      Task { @LoopActor in held.removeValue(forKey: number)?.resume() }
    }
    if Task.isCancelled || isCut { throw ConsentError(.cancelled) }
  }

  private func answer(_ call: NodeCall) throws(ConsentError) -> NodeReply {
    if isDown { throw ConsentError(.nodeUnreachable) }
    if tokensAreRefused { return NodeReply(status: 401) }
    if call.path == "/auth/refresh" { return refreshed(call) }
    if let accessToken, call.bearer?.revealed != accessToken {
      return NodeReply(status: 401, authError: "token_expired")
    }
    if call.method == "POST" { return started(call) }
    if let busyFor { return NodeReply(status: 503, retryAfter: busyFor) }
    let id = call.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    return result(of: id)
  }

  @LoopActor func change(to trust: NodeTrust?) -> TrustChange {
    trusts.append(trust)
    return .keepsCalls
  }

  @LoopActor func endDistrusted() {}

  @LoopActor func close() {
    isCut = cutsWhenClosed
    release()
  }

  private var spent: Set<String> = []

  /// Takes each pair once.
  private func refreshed(_ call: NodeCall) -> NodeReply {
    let body = String(decoding: call.body, as: UTF8.self)
    guard let accessToken, spent.insert(body).inserted else { return NodeReply(status: 401) }
    let tokens = #"{"access_token":"\#(accessToken)","refresh_token":"refresh-\#(refreshes)"}"#
    return NodeReply(status: 200, body: Array(#"{"data":\#(tokens)}"#.utf8))
  }

  private func started(_ call: NodeCall) -> NodeReply {
    lastBody = String(decoding: call.body, as: UTF8.self)
    let id = nextId ?? "rq-\(nextNumber)"
    nextId = nil
    nextNumber += 1
    states[id] = .pending
    let now = Date().addingTimeInterval(clockSkew)
    let expires = Int((now.timeIntervalSince1970 + lifetime) * 1000)
    let padding = pagePadding > 0 ? "?x=" + String(repeating: "x", count: pagePadding) : ""
    let url = "\(Self.origin)/consent/\(id)\(padding)"
    return NodeReply(
      status: 201,
      body: Array(
        #"{"requestId":"\#(id)","url":"\#(url)","code":"7QF2-XK","expiresAt":\#(expires)}"#.utf8),
      date: now)
  }

  private func result(of id: String) -> NodeReply {
    let date = tellsTime ? Date().addingTimeInterval(clockSkew).inWholeSeconds : nil
    func answer(_ rest: String) -> NodeReply {
      NodeReply(
        status: 200, body: Array(#"{"requestId":"\#(id)",\#(rest)}"#.utf8), date: date)
    }
    switch states[id] {
    case .pending: return answer(#""status":"pending""#)
    case .approved(let outcome):
      return answer(#""status":"approved""# + (outcome.map { #","outcome":\#($0)"# } ?? ""))
    case .declined: return answer(#""status":"declined""#)
    case .broken(let status, let body):
      return NodeReply(status: status, body: Array(body.utf8), date: date)
    case .gone, nil: return NodeReply(status: 404, date: date)
    }
  }
}

extension Date {
  /// As the field `Date` has it.
  var inWholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
