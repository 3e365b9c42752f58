import Crypto
import EventLoop
import FoundationEssentials

/// The client's work, on the loop. `MeroClient` is its public face.
@LoopActor final class ClientCore {
  private let node: NodeAddress
  private var origins: PackageOrigins
  private var returnTo: String?
  private let transport: any NodeTransport
  private let clock: ClientClock
  private let keeper: TokenKeeper
  private var remembered = StartedMemory()
  /// The waits that sleep now, so that closing wakes them.
  private var naps: [Int: Task<Bool, Never>] = [:]
  private var nextNap = 0

  nonisolated init(
    node: NodeAddress, origins: PackageOrigins, returnTo: String?, tokens: SessionTokens,
    transport: any NodeTransport, clock: ClientClock, onTokensChanged: MeroClient.TokensChanged?
  ) {
    self.node = node
    self.origins = origins
    self.returnTo = returnTo
    self.transport = transport
    self.clock = clock
    keeper = TokenKeeper(tokens, transport: transport, onChange: onTokensChanged)
  }

  func start(
    _ request: ConsentRequest, returnTo given: String?
  ) async throws(ConsentError) -> MeroClient.Started {
    let body = ConsentRequestBody(request, returnTo: given ?? returnTo)
    try RequestCheck.check(body, origins: origins)
    let reply = try await authorized(
      NodeCall(
        method: "POST", path: "/consent/requests", body: try AnswerJSON.encode(body)))
    guard reply.status == 200 || reply.status == 201 else {
      throw .unexpected(status: reply.status)
    }
    let started = try StartedCheck.check(
      reply.body, kind: request.kind, node: node, now: clock.now(), nodeDate: reply.date)
    remembered.note(started, at: clock.uptime())
    return started
  }

  func read(_ requestId: String, kind: ConsentKind?) async -> MeroClient.Reading {
    do throws(ConsentError) {
      guard StartedCheck.isUsable(requestId: requestId) else {
        throw .requestInvalid("requestId", "is empty or cannot be used")
      }
      let reply = try await authorized(
        NodeCall(method: "GET", path: "/consent/\(percentEncodedSegment(requestId))/result"))
      let kind = kind ?? remembered.kind(of: requestId)
      return MeroClient.Reading(
        answer: Self.answer(reply, requestId: requestId, kind: kind), nodeDate: reply.date)
    } catch {
      return MeroClient.Reading(answer: .failure(error), nodeDate: nil)
    }
  }

  private static func answer(
    _ reply: NodeReply, requestId: String, kind: ConsentKind?
  ) -> Result<ConsentResult, ConsentError> {
    switch reply.status {
    case 200:
      do throws(ConsentError) {
        return .success(try ResultCheck.check(reply.body, requestId: requestId, kind: kind))
      } catch {
        return .failure(error)
      }
    case 404:
      return .failure(ConsentError(.replaced, nodeStatus: 404))
    default:
      var error = ConsentError.unexpected(status: reply.status)
      error.retryAfter = ConsentError.bounded(reply.retryAfter)
      return .failure(error)
    }
  }

  /// Asks for a request that there is not: that it is unknown is the word of a node that was
  /// reached, that proved itself, and that takes the session's token.
  func check() async throws(ConsentError) -> Date? {
    let id = Hex.encode(SecureRandom.bytes(count: 16))
    let reply = try await authorized(NodeCall(method: "GET", path: "/consent/\(id)/result"))
    guard reply.status == 404 else { throw .unexpected(status: reply.status) }
    return reply.date
  }

  func confirm(
    _ started: ConsentStarted, returned: ReturnURL
  ) async throws(ConsentError) -> ConsentResult {
    guard !returned.namesAnother(than: started.requestId) else {
      throw ConsentError(.requestMismatch)
    }
    let result = try await read(started.requestId, kind: started.kind).answer.get()
    guard result.status != .pending else { throw ConsentError(.notDecided) }
    return result
  }

  func wait(for started: ConsentStarted) async throws(ConsentError) -> ConsentResult {
    var end = WaitEnd(
      deadline(of: started), by: remembers(started) ? nil : started.expiresAt, at: clock.uptime())
    var schedule = PollSchedule()
    while true {
      var asked = Duration.zero
      if let decided = try await poll(started, &end, &asked) { return decided }
      let left = end.deadline - clock.uptime()
      let pause = max(schedule.next(chance: clock.chance()), asked)
      try await nap(min(pause, max(left, .zero)))
    }
  }

  func change(origins: PackageOrigins, returnTo: String?) {
    (self.origins, self.returnTo) = (origins, returnTo)
  }

  func replaceTokens(_ tokens: SessionTokens) { keeper.replace(tokens) }

  func refreshEnds() async { await keeper.refreshEnds() }

  func close() async {
    keeper.wipe()
    for nap in naps.values { nap.cancel() }
    await transport.close()
  }
}

extension ClientCore {
  /// One read of a wait: the decision, or `nil` to read again.
  ///
  /// - Parameter asked: is set to the pause that the node asks for.
  private func poll(
    _ started: ConsentStarted, _ end: inout WaitEnd, _ asked: inout Duration
  ) async throws(ConsentError) -> ConsentResult? {
    let began = clock.uptime()
    let reading = await read(started.requestId, kind: started.kind)
    let isLast = end.isOver(at: began, of: reading)
    do throws(ConsentError) {
      let result = try reading.answer.get()
      if result.status != .pending { return result }
    } catch {
      switch error.code {
      case .replaced where !isLast: throw error
      case .replaced: break  // gone, and its time is up
      case .cancelled, .requestInvalid: throw error
      default:
        if isLast { throw error }
        asked = error.retryAfter ?? .zero
        return nil
      }
    }
    if isLast { throw ConsentError(.expired) }
    return nil
  }

  /// - Throws: `CONSENT_CANCELLED` when its task is cancelled, and when the client is closed.
  private func nap(_ pause: Duration) async throws(ConsentError) {
    _ = try keeper.current()
    let clock = clock
    let number = nextNap
    nextNap += 1
    let task = Task {
      do throws(CancellationError) {
        try await clock.sleep(pause)
        return true
      } catch {
        return false
      }
    }
    naps[number] = task
    defer { naps[number] = nil }
    let slept = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    guard slept else { throw ConsentError(.cancelled) }
  }

  private func remembers(_ started: ConsentStarted) -> Bool {
    remembered.deadline(of: started.requestId) != nil
  }

  /// By the node's clock where this client started the request, else by this machine's.
  private func deadline(of started: ConsentStarted) -> Duration {
    if let deadline = remembered.deadline(of: started.requestId) { return deadline }
    let left = started.expiresAt.timeIntervalSince(clock.now())
    return clock.uptime() + .seconds(min(max(left, 0), StartedCheck.longestLifetime))
  }

  /// Sends with the bearer token; renews it once when the node says that it expired.
  private func authorized(_ call: NodeCall) async throws(ConsentError) -> NodeReply {
    let first = try keeper.current()
    let reply = try await transport.send(call.carrying(first.tokens))
    guard reply.status == 401 else { return reply }
    guard reply.authError == "token_expired" else {
      throw ConsentError(.sessionExpired, nodeStatus: 401)
    }
    try await keeper.renew(after: first)
    guard !Task.isCancelled else { throw ConsentError(.cancelled) }
    let second = try await transport.send(call.carrying(try keeper.current().tokens))
    guard second.status != 401 else { throw ConsentError(.sessionExpired, nodeStatus: 401) }
    return second
  }
}

extension NodeCall {
  fileprivate func carrying(_ tokens: SessionTokens) -> NodeCall {
    var call = self
    call.bearer = Redacted(tokens.accessToken)
    return call
  }
}

extension ConsentError {
  /// A pause that a node asks for, as far as it is kept to.
  static func bounded(_ seconds: Int?) -> Duration? {
    seconds.map { min(.seconds($0), longestRetryAfter) }
  }

  /// A status that nobody asked for, from the node itself.
  static func unexpected(status: Int) -> ConsentError {
    switch status {
    case 300..<400:
      .nodeError("The node answered with a redirect, which is not followed.", status: status)
    case 400..<500:
      // The same question again would get the same answer.
      ConsentError(
        .nodeError,
        advice: "The node refused what was asked, with the status \(status). Check the request's "
          + "fields and its returnTo.",
        nodeStatus: status)
    default:
      .nodeError("The node answered with the status \(status).", status: status)
    }
  }
}

/// When a wait ends. Where another client started the request, only the wall clock says that before
/// the first answer: from then on it is the node's clock that counts.
private struct WaitEnd {
  /// In uptime.
  private(set) var deadline: Duration
  private let latest: Duration
  private let expiresAt: Date?

  /// - Parameter expiresAt: `nil` where the deadline is the node's word already.
  init(_ deadline: Duration, by expiresAt: Date?, at now: Duration) {
    self.deadline = deadline
    latest = now + .seconds(StartedCheck.longestLifetime)
    self.expiresAt = expiresAt
  }

  /// Whether a read that began then was the last one.
  mutating func isOver(at began: Duration, of reading: MeroClient.Reading) -> Bool {
    guard let expiresAt, let date = reading.nodeDate else { return began >= deadline }
    let left = expiresAt.timeIntervalSince(date)
    // A `Date` has whole seconds.
    deadline = min(latest, began + .seconds(max(left, 1)))
    guard case .failure(let error) = reading.answer, error.code == .replaced else {
      return left <= 0 || began >= latest
    }
    return left <= StartedCheck.lastMoment
  }
}

/// What a client knows about the requests that it started, the oldest forgotten first.
struct StartedMemory {
  /// An account has one undecided request a node, so a few would do.
  private static let most = 256

  private struct Entry {
    let requestId: String
    let kind: ConsentKind
    let deadline: Duration
  }

  private var entries: [Entry] = []

  mutating func note(_ started: MeroClient.Started, at uptime: Duration) {
    let requestId = started.started.requestId
    entries.removeAll { sameBytes($0.requestId, requestId) }
    if entries.count == Self.most { entries.removeFirst() }
    entries.append(
      Entry(
        requestId: requestId, kind: started.started.kind, deadline: uptime + started.lifetime))
  }

  func kind(of requestId: String) -> ConsentKind? { entry(requestId)?.kind }

  func deadline(of requestId: String) -> Duration? { entry(requestId)?.deadline }

  private func entry(_ requestId: String) -> Entry? {
    entries.last { sameBytes($0.requestId, requestId) }
  }
}
