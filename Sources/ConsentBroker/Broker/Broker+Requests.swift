package import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent

extension Broker {
  /// The caller's requests, newest first, without outcomes that carry a secret or are long.
  ///
  /// - Parameters:
  ///   - limit: 1 to `BrokerLimits.listLimit`.
  ///   - before: the `next` of an earlier list.
  package func list(
    state: RequestState?, limit: Int, before: String?, for caller: Caller
  ) async throws(Problem) -> RequestList {
    let session = try session(caller)
    var number: Int64?
    if let before {
      guard let found = try await row(before, of: session)?.number else {
        throw .invalid(field: "before", detail: "The parameter before names no request.")
      }
      number = found
    }
    let count = min(max(limit, 1), BrokerLimits.listLimit)
    let id = session.id
    let older = number
    // One more than is shown tells whether there is a next page.
    let recorded = try await read(for: .session(id)) { ledger throws(LedgerError) in
      try await ledger.requests(of: id, state: state, limit: count + 1, before: older)
    }
    let rows = withUnwritten(recorded, of: session, state: state, limit: count + 1, before: older)
    // Of what ends in this moment, no list tells more than other calls do.
    let views = rows.prefix(count).map(asTold).filter { state == nil || $0.state == state }
      .map { row in
        var view = view(of: row, in: session)
        view.longOutcome = nil
        if view.outcome?.isSecret == true { view.outcome = nil }
        return view
      }
    let hasMore = max(recorded.count, rows.count) > count
    let last = (rows.prefix(count).last ?? recorded.last)?.requestId
    return RequestList(requests: views, next: hasMore ? last : nil)
  }

  /// One request as memory has it, while nothing has ended it or where it ended lately; `nil` where
  /// only the record knows, or the node, or where the outcome is a secret.
  func liveView(_ requestId: String, for caller: Caller) throws(Problem) -> SharedView? {
    let session = try session(caller)
    let (needsSession, port) = (session.needsTokens, callback?.port)
    guard let request = live.of(requestId: requestId, session: session) else {
      return recent.view(requestId, of: session.id, needsSession: needsSession, port: port) { row in
        let looks = self.view(of: row, in: session)
        let isLost = row.state == .approved && looks.outcome == nil
        // A token is kept by its session and by nobody else.
        guard looks.outcome?.isSecret != true, looks.longOutcome == nil,
          !isLost || ConsentKind(rawValue: row.kind)?.outcome == nil
        else { return nil }
        return SharedView(looks)
      }
    }
    // Its outcome may have to be read again.
    guard request.unwritten?.told == nil else { return nil }
    if let shown = request.shown, shown.needsSession == needsSession, shown.port == port {
      return shown.view
    }
    let view = SharedView(self.view(of: request.row, in: session))
    request.shown = LiveRequest.Shown(view: view, needsSession: needsSession, port: port)
    return view
  }

  /// One request. Reads an invite token again from the node where memory has lost it.
  ///
  /// - Parameter withLongOutcome: whether one that is long is read as well, or only its length.
  package func get(
    _ requestId: String, withLongOutcome: Bool = true, for caller: Caller
  ) async throws(Problem) -> RequestView {
    let session = try session(caller)
    guard let row = try await row(requestId, of: session) else { throw .notFound }
    return try await fullView(of: row, withLongOutcome: withLongOutcome, in: session)
  }

  /// Opens the request's page in the person's browser, where there is still something to decide.
  ///
  /// - Throws: `BROWSER_UNAVAILABLE` with the address to open by hand.
  package func open(
    _ requestId: String, activationToken: ActivationToken? = nil, for caller: Caller
  ) async throws(Problem) -> StartResult {
    let session = try session(caller)
    guard let row = try await row(requestId, of: session) else { throw .notFound }
    if let error = Self.refusal(of: row) { throw .consent(error, requestId: requestId) }
    guard row.state == .started, let url = row.url else {
      let full = try await withLongOutcome(row, of: session)
      return StartResult(view: view(of: full, in: session), page: .pointless, repeated: true)
    }
    do {
      let opening = try await tools.openPage(url, activationToken)
      return StartResult(
        view: view(of: row, in: session), page: .opening(opening), repeated: true)
    } catch {
      noteUnopened(requestId, error)
      let advice = "\(error.sentence) Open this address by hand and compare the code: \(url)"
      throw .consent(
        ConsentError(.browserUnavailable, advice: advice, cause: error), requestId: requestId)
    }
  }

  func noteUnopened(_ requestId: String, _ error: PageUnavailable) {
    log.warning(
      "the page could not be opened", .request(requestId), .code(error.reason.rawValue))
  }

  /// Stops waiting for a request. One that is finished stays as it is.
  package func cancel(_ requestId: String, for caller: Caller) async throws(Problem) -> RequestView
  {
    let session = try session(caller)
    guard let row = try await row(requestId, of: session) else { throw .notFound }
    guard !row.state.isFinal else { return try await fullView(of: row, in: session) }
    let ledger = try ledger()
    let ending = RequestEnding(state: .cancelled, at: tools.now())
    let request = live.of(number: row.number)
    request?.endsUnderWay += 1
    defer { request?.endsUnderWay -= 1 }
    let change: RecordedChange?
    do {
      change = try await recorded { () async throws(LedgerError) in
        try await ledger.finish(row.number, ending)
      }
    } catch {
      throw .consent(error, requestId: requestId)
    }
    if let change {
      ended(change, of: session, outcome: nil)
      return view(of: change.row, in: session)
    }
    // Something else ended it first.
    return try await get(requestId, for: caller)
  }

  // MARK: Rows and views

  /// A session's request, from memory where nothing has ended it or somebody asked lately.
  func row(_ requestId: String, of session: Session) async throws(Problem) -> RequestRow? {
    if let request = live.of(requestId: requestId, session: session) { return request.current }
    let id = session.id
    if let row = recent.row(requestId, of: id) { return row }
    var moment = recent.now
    let row = try await read(for: .session(id)) { ledger throws(LedgerError) in
      moment = recent.now
      return try await ledger.request(requestId, of: id)
    }
    if let row { recent.keep(row, readAt: moment) }
    return row
  }

  /// A row that was read from the ledger, as everybody else is told it. A commit is readable there a
  /// moment before it is known here, and an app must not hear of a verdict and then hear less.
  func asTold(_ row: RequestRow) -> RequestRow { live.of(number: row.number)?.current ?? row }

  /// As memory has it: without asking the node.
  func view(of row: RequestRow, in session: Session) -> RequestView {
    let kind = ConsentKind(rawValue: row.kind)
    let outcome = session.secrets[row.number] ?? row.outcome?.outcome
    // What only the node can say needs the session's tokens.
    let isLost =
      row.state == .approved && kind?.outcome != nil && outcome == nil
      && row.outcome?.isLong != true
    let asksNode = row.state == .started || isLost
    let needsSession = asksNode && session.needsTokens
    let leftStarting = row.state == .starting && !startingNow.contains(row.number)
    let isDecided = row.state == .approved || row.state == .declined
    let request = live.of(number: row.number)
    let unwritten = request?.unwritten
    let waitsForDisk = unwritten?.obstacle != nil
    let readFailure = row.state == .started && !needsSession ? request?.readFailure : nil
    return RequestView(
      requestId: row.requestId, kind: row.kind, state: row.state, createdAt: row.createdAt,
      code: row.code, url: row.url, expiresAt: row.expiresAt,
      callback: callback?.address(of: row.ticket), lifetimeCut: row.lifetimeCut,
      outcome: outcome, longOutcome: row.outcome.flatMap { $0.isLong ? $0 : nil },
      changesOrganizations: isDecided
        ? row.state == .approved && kind?.concernsOrganizations != false : nil,
      decidedAt: isDecided ? row.finishedAt : nil, lastReturn: row.lastReturn,
      readFailure: readFailure,
      failure: row.failure.flatMap(ConsentError.Code.init(rawValue:)),
      detail: row.detail ?? (leftStarting ? Self.leftStartingDetail : nil)
        ?? unwritten.flatMap(Self.detail) ?? readFailure?.advice,
      isRecorded: !waitsForDisk,
      needsSession: needsSession, version: .init(number: row.number, revision: row.revision))
  }

  private static let leftStartingDetail =
    "The service stopped while the node was being asked, so it is not known whether the node took "
    + "the request. Ask again."

  /// With the invite token read again from the node where memory has lost it.
  ///
  /// - Parameter withLongOutcome: whether one that is long is read from the ledger.
  func fullView(
    of row: RequestRow, withLongOutcome: Bool = true, in session: Session
  ) async throws(Problem) -> RequestView {
    let row = withLongOutcome ? try await self.withLongOutcome(row, of: session) : row
    var shown = view(of: row, in: session)
    guard row.state == .approved, shown.outcome == nil, shown.longOutcome == nil,
      ConsentKind(rawValue: row.kind)?.outcome != nil, !session.needsTokens, !isStopping
    else { return shown }
    let error = await reread(row, of: session)
    shown = view(of: row, in: session)
    if let error, shown.outcome == nil {
      shown.outcomeIsMissing = true
      shown.detail = "The outcome could not be read again from the node: \(error.advice)"
    }
    return shown
  }

  /// One read at a time for a request, shared by everybody who asks.
  private func reread(_ row: RequestRow, of session: Session) async -> ConsentError? {
    let number = row.number
    let work =
      rereads[number]
      ?? SharedWork<ConsentError?>(
        endingWhenLeft: { [self] in rereads[number] = nil },
        { [self] in
          if let failure = session.outcomeFailures[number], failure.notBefore > .now {
            return failure.error
          }
          let read = await nodeTurns.pass(for: session, until: lineEnd) {
            await readOutcome(of: row, in: session)
          }
          guard case .failure(let error) = read ?? .failure(ConsentError(.nodeUnreachable)) else {
            session.outcomeFailures[number] = nil
            return nil
          }
          return note(error, ofOutcomeOf: row, in: session)
        })
    rereads[number] = work
    return await work.result() ?? ConsentError(.cancelled)
  }

  /// - Returns: what is told of it: the first failure, as long as it goes on for the same reason.
  private func note(
    _ error: ConsentError, ofOutcomeOf row: RequestRow, in session: Session
  ) -> ConsentError {
    guard error.code != .cancelled else { return error }
    let known = session.outcomeFailures[row.number]
    let isNews = known?.error.code != error.code
    // A node that fails for two reasons in turn is not asked as fast as it answers.
    let pause = error.retryAfter ?? (isNews && known != nil ? .seconds(1) : .zero)
    let told = isNews ? error : known?.error ?? error
    session.outcomeFailures[row.number] = OutcomeFailure(error: told, notBefore: .now + pause)
    if isNews { waits.signal(row.requestId, of: session.id) }
    return told
  }

  private func readOutcome(
    of row: RequestRow, in session: Session
  ) async -> Result<Void, ConsentError> {
    guard let client = session.client else { return .failure(session.tokensAreNeeded) }
    let given = session.tokensGiven
    let reading = await client.read(row.requestId, kind: ConsentKind(rawValue: row.kind))
    noteTime(ofNode: reading.nodeDate)
    noteAnswer(reading.answer, of: session, given: given)
    switch reading.answer {
    case .success(let result):
      guard result.status == .approved, let outcome = result.outcome else {
        return .failure(ConsentError(.resultInvalid))
      }
      session.keep(outcome, of: row.number)
      waits.signal(row.requestId, of: session.id)
      return .success(())
    case .failure(let error): return .failure(error)
    }
  }

  /// Until when a call that begins now waits for its turn.
  var lineEnd: BootInstant { .now + settings.client.callLimit }

  /// What a finished request that was not decided answers to whoever wants its decision.
  static func refusal(of row: RequestRow) -> ConsentError? {
    switch row.state {
    case .approved, .declined, .started: nil
    case .starting: ConsentError(.notDecided, advice: leftStartingDetail)
    case .replaced: ConsentError(.replaced)
    case .expired: ConsentError(.expired)
    case .cancelled: ConsentError(.cancelled)
    case .failed:
      ConsentError(row.failure.flatMap(ConsentError.Code.init(rawValue:)) ?? .nodeError)
    }
  }
}
