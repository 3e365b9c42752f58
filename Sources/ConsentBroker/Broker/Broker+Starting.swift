import Callback
package import Desktop
import EventLoop
import FoundationEssentials
package import MeroConsent

extension Broker {
  /// Asks the node. The request is durable when this returns.
  ///
  /// - Parameters:
  ///   - open: whether to open the page in the person's browser.
  ///   - activationToken: of the app, for that.
  ///   - idempotencyKey: a repeat with it answers the first one's result, also after a restart.
  package func start(
    _ request: ConsentRequest, open: Bool, activationToken: ActivationToken? = nil,
    idempotencyKey: String?, for caller: Caller
  ) async throws(Problem) -> StartResult {
    let session = try session(caller)
    let fingerprint = StartFingerprint("request", ConsentRequestBody(request))
    return try await once(
      idempotencyKey, fingerprint, PageWish(open: open, token: activationToken), in: session
    ) {
      [self] idempotency async throws(Problem) in
      _ = try askable(session)
      let row = RequestRow(
        session: session.id, requestId: RandomName.starting(), ticket: ViewTickets.randomTicket(),
        kind: request.kind.rawValue, state: .starting, createdAt: tools.now().asKept,
        idempotency: idempotency)
      let result = try await nodeTurns.pass(for: session, until: lineEnd) {
        () async throws(Problem) in
        // It may have ended meanwhile, or have another client.
        _ = try self.session(caller)
        let client = try askable(session)
        // What a node has taken is not refused any more, or a person might decide it for nobody.
        let answer = session.answersAreLong ? OpenRequestMemory.longestAnswer : 0
        return try await holding(answer, of: session) { () async throws(Problem) in
          try await started(row, of: session) { row async throws(ConsentError) in
            // Where nobody says where the page leads, it leads here. Origins of a package, where they
            // are named, would refuse that.
            let ownReturn =
              session.row.returnTo == nil && session.row.origins.isEmpty
              ? callback?.address(of: row.ticket) : nil
            return try await client.start(request, returnTo: session.row.returnTo ?? ownReturn)
          }
        }
      }
      guard let result else {
        throw isStopping ? .stopping : .consent(ConsentError(.nodeUnreachable), requestId: nil)
      }
      return result
    }
  }

  /// Records a request that the app started itself.
  package func record(
    _ started: ConsentStarted, open: Bool, activationToken: ActivationToken? = nil,
    idempotencyKey: String?, for caller: Caller
  ) async throws(Problem) -> StartResult {
    let session = try session(caller)
    let fingerprint = StartFingerprint("started", started)
    return try await once(
      idempotencyKey, fingerprint, PageWish(open: open, token: activationToken), in: session
    ) {
      [self] idempotency async throws(Problem) in
      guard let client = session.client else {
        throw .consent(session.tokensAreNeeded, requestId: nil)
      }
      do throws(ConsentError) {
        try client.check(started)
      } catch {
        throw .consent(error, requestId: nil)
      }
      return try await recorded(started, idempotency, of: session)
    }
  }

  // MARK: Asking the node

  /// Whether an earlier run ended while the node was being asked. Nobody knows whether the node
  /// took it, and it has no id to be looked for by. The repeat asks anew: if the node has one of the
  /// first call, that one is replaced.
  func wasCutOff(_ row: RequestRow) -> Bool {
    row.state == .starting && leftStarting[row.number] != nil
  }

  /// What asks the session's node, where it has the tokens for that.
  private func askable(_ session: Session) throws(Problem) -> MeroClient {
    guard let client = session.client, !session.tokensAreSpent else {
      throw .consent(session.tokensAreNeeded, requestId: nil)
    }
    return client
  }

  private func started(
    _ row: RequestRow, of session: Session,
    _ ask: (RequestRow) async throws(ConsentError) -> MeroClient.Started
  ) async throws(Problem) -> StartResult {
    let inserted: RequestRow
    switch try await insert(row, of: session) {
    case .inserted(let row, _): inserted = row
    case .repeated(let row):
      guard wasCutOff(row) else { return try await there(row, in: session) }
      leftStarting[row.number] = nil
      inserted = row
    case .keyReused: throw .idempotencyKeyReused
    case .sessionEnded: throw .noSession
    }
    isStarting(inserted, true)
    defer { isStarting(inserted, false) }
    let given = session.tokensGiven
    let answer: MeroClient.Started
    do {
      answer = try await ask(inserted)
      noteIsReachable(session)
    } catch {
      noteAnswer(.failure(error), of: session, given: given)
      // Nobody knows whether the node has it: as after a crash at this moment.
      if isStopping, error.code == .cancelled { throw .stopping }
      // The app hears that nothing came of it, and its key is free for another try.
      await forgetStarting(inserted)
      // The calls of a session end with it.
      let isOfTheEnd = error.code == .cancelled && session.isClosed
      throw .consent(
        isOfTheEnd ? ConsentError(.cancelled, advice: Self.closedDetail) : error, requestId: nil)
    }
    let now = tools.now()
    let lifetime = Self.lifetime(of: answer, at: now)
    let deadline = BootInstant.now + .seconds(lifetime)
    let start = RequestStart(
      requestId: answer.started.requestId, code: answer.started.code, url: answer.started.url,
      expiresAt: now.addingTimeInterval(lifetime).asKept,
      nodeExpiresAt: answer.expiresAtByNode.asKept, lifetimeCut: answer.lifetimeCut)
    guard let ledger = ledgerIfAny else { throw .stopping }
    if OpenRequestMemory.common(start.requestId, start.url, start.code) > 0 {
      session.answersAreLong = true
    }
    let result: StartedRequest
    do {
      result = try await recorded { () async throws(LedgerError) in
        try await ledger.start(inserted.number, start, at: now)
      }
    } catch {
      // The node has it, and here nobody will know it: as after a crash at this moment.
      leftStarting[inserted.number] = inserted.createdAt
      throw .consent(error, requestId: nil)
    }
    switch result {
    case .started(let change):
      let request = LiveRequest(
        change.row, of: session, deadline: deadline,
        by: answer.lifetimeIsByNode ? .nodeClock : .givenDate)
      return try await begin(request, event: change.event)
    case .ended: throw .consent(ConsentError(.cancelled), requestId: start.requestId)
    case .idReused:
      await forgetStarting(inserted)
      throw .consent(
        .nodeError("The node gave the new request the id of an older one."), requestId: nil)
    }
  }

  /// By the node's clock, which its `Date` tells in whole seconds. Where ours agrees with it as
  /// far as can be told, ours is the more exact.
  private static func lifetime(of answer: MeroClient.Started, at now: Date) -> TimeInterval {
    let byNode = answer.lifetime / .seconds(1)
    let byUs = answer.started.expiresAt.timeIntervalSince(now)
    return byUs > 0 && abs(byNode - byUs) <= dateStep ? byUs : byNode
  }

  /// Seconds by which a time that was computed from a `Date` may be off.
  private static let dateStep = 1.5

  private func recorded(
    _ started: ConsentStarted, _ idempotency: Idempotency?, of session: Session
  ) async throws(Problem) -> StartResult {
    let now = tools.now()
    let given = started.expiresAt.timeIntervalSince(now)
    let lifetime = min(given, BrokerLimits.longestLifetime)
    let row = RequestRow(
      session: session.id, requestId: started.requestId, ticket: ViewTickets.randomTicket(),
      kind: started.kind.rawValue, state: .started, code: started.code, url: started.url,
      createdAt: now.asKept, expiresAt: now.addingTimeInterval(lifetime).asKept,
      nodeExpiresAt: started.expiresAt.asKept, lifetimeCut: given > lifetime,
      idempotency: idempotency)
    switch try await insert(row, of: session) {
    case .inserted(let row, let event):
      // The app got it from the node's clock, which this machine's may differ from.
      let request = LiveRequest(
        row, of: session, deadline: .now + .seconds(lifetime), by: .givenDate)
      return try await begin(request, event: event)
    case .repeated(let row): return try await there(row, in: session)
    case .keyReused: throw .idempotencyKeyReused
    case .sessionEnded: throw .noSession
    }
  }

  /// Who saw it in a list may wait for what becomes of it.
  private func isStarting(_ row: RequestRow, _ isStarting: Bool) {
    if isStarting { startingNow.insert(row.number) } else { startingNow.remove(row.number) }
    waits.signal(row.requestId, of: row.session)
  }

  private func insert(
    _ row: RequestRow, of session: Session
  ) async throws(Problem) -> InsertedRequest {
    let ledger = try ledger()
    do {
      try await checkRecordCanGrow()
    } catch {
      throw .consent(error, requestId: nil)
    }
    // The record tells an end that it has heard of before, and not which session of an id it is.
    guard !session.isClosed else { throw .noSession }
    do {
      return try await recorded { () async throws(LedgerError) in
        try await ledger.insert(row, leavingRoom: true)
      }
    } catch {
      throw .consent(error, requestId: nil)
    }
  }

  /// The start came to nothing: its key is free, now or, where the disk does not take that, as
  /// after a crash.
  private func forgetStarting(_ row: RequestRow) async {
    let forgotten: ()? = try? await ledgerIfAny?.forgetStarting(row.number)
    if forgotten == nil { leftStarting[row.number] = row.createdAt }
  }

  /// Of a request that an end of its session has not met.
  static let closedDetail = "Its session was closed."

  /// What a repeat is answered.
  func there(
    _ row: RequestRow, in session: Session
  ) async throws(Problem) -> StartResult {
    let row = try await withLongOutcome(asTold(row), of: session)
    return StartResult(view: view(of: row, in: session), page: nil, repeated: true)
  }

  /// From now on the request is watched, and its returns are known.
  ///
  /// - Throws: `CONSENT_CANCELLED` where its session has ended meanwhile, and the request with it.
  private func begin(
    _ request: LiveRequest, event: BrokerEvent?
  ) async throws(Problem) -> StartResult {
    let (row, session) = (request.row, request.session)
    guard !session.isClosed else {
      // Where its session's end has not.
      let ending = RequestEnding(state: .cancelled, at: tools.now(), detail: Self.closedDetail)
      _ = try? await ledgerIfAny?.finish(row.number, ending)
      throw .consent(ConsentError(.cancelled), requestId: row.requestId)
    }
    live.add(request)
    if let event { session.events.publish(event) }
    waits.signal(row.requestId, of: session.id)
    watcher.watch(request)
    onCountsChanged?()
    log.info(
      "request started", .request(row.requestId), .session(session.id), .code(row.kind),
      .event(.requestStarted))
    // An account has one undecided request a node: the older one's app learns it now. All others
    // were older already when that one came.
    for other in vault.all where other.undecided > 0 && other.sharesAccount(with: session) {
      if let older = live.of(session: other).last(where: { $0 !== request }) {
        watcher.hurry(older)
      }
    }
    return StartResult(view: view(of: row, in: session), page: nil, repeated: false)
  }
}
