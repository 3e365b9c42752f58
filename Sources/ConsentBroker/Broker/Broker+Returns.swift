import Callback
import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent

extension Broker {
  /// `confirmConsentReturn` with a URL that the app received itself: the decided request, or
  /// the refusal. A client that leaves in between changes nothing.
  package func confirm(
    _ requestId: String, returned url: String, for caller: Caller
  ) async throws(Problem) -> RequestView {
    let session = try session(caller)
    let returned: ReturnURL
    do {
      returned = try ReturnURL(url)
    } catch {
      throw .consent(error, requestId: requestId)
    }
    guard let row = try await row(requestId, of: session) else { throw .notFound }
    let request = live.of(requestId: requestId, session: session)
    guard !returned.namesAnother(than: requestId) else {
      if let request { await refuse(request, .requestMismatch) }
      throw .consent(ConsentError(.requestMismatch), requestId: requestId)
    }
    let final: RequestRow
    if let request {
      switch try await verdict(onReturnOf: request) {
      case .final(let row): final = row
      case .refused(let error): throw .consent(error, requestId: requestId)
      }
    } else {
      final = await noteReturn(of: row)
    }
    if let error = Self.refusal(of: final) { throw .consent(error, requestId: requestId) }
    return try await fullView(of: final, in: session)
  }

  /// Waits for the verdict. Each call that waits holds a connection, and a task.
  ///
  /// - Throws: `.tooMany(.returns)`; `.stopping` where the client has left.
  private func verdict(onReturnOf request: LiveRequest) async throws(Problem) -> Look {
    let session = request.session
    guard request.returnCalls < BrokerLimits.returnCallsOfARequest,
      session.returnCalls < BrokerLimits.returnCalls
    else { throw .tooMany(.returns, retryAfter: 1) }
    request.returnCalls += 1
    session.returnCalls += 1
    defer {
      request.returnCalls -= 1
      session.returnCalls -= 1
    }
    guard let look = await judge(request).look() else { throw .stopping }
    return look
  }

  // MARK: Verdicts on returns

  /// Finds the verdict on a return of this request, and notes it.
  ///
  /// The work is nobody's task but its own, so that it goes on when whoever asked is gone.
  ///
  /// - Parameter namedIt: whether the return was for this request, and not for none by name.
  @discardableResult
  func judge(
    _ request: LiveRequest, namedIt: Bool = true, _ activationToken: ActivationToken? = nil
  ) -> ReturnJudging {
    if let activationToken { request.activationToken = activationToken }
    if namedIt { request.newestReturnAt = .now }
    if let same = request.judgings.last, same.takesMore, same.arrival == request.readsBegun {
      if namedIt {
        same.namedIt = true
        nodeTurns.hurry(request.turn)
      }
      return same
    }
    let judging = ReturnJudging(arrival: request.readsBegun, namedIt: namedIt)
    request.judgings.append(judging)
    judgingsUnderWay += 1
    let work: @LoopActor () async -> Void = { [self] in
      let look = await find(judging, of: request)
      request.judgings.removeAll { $0 === judging }
      judgingsUnderWay -= 1
      // It is of this moment; a later event must not take the focus.
      if request.judgings.isEmpty { request.activationToken = nil }
      request.wakePages()
      judging.work.end(look)
    }
    if request.unwritten != nil {
      // The node has said it, and only the disk is missing.
      Task { await work() }
    } else {
      nodeTurns.run(in: request.turn, isUrgent: namedIt, work)
    }
    return judging
  }

  private func find(_ judging: ReturnJudging, of request: LiveRequest) async -> Look {
    let look = await look(at: request, since: judging.arrival)
    // What comes from here on has another answer to expect.
    judging.takesMore = false
    switch look {
    case .final(let row):
      // The end may have been on its way to the disk when this return came.
      return judging.namedIt ? .final(await noteReturn(of: row)) : look
    case .refused(let error):
      guard judging.namedIt else { break }
      if await !refuse(request, error.code) { await noteReturn(ofEnded: request) }
    }
    return look
  }

  /// Keeps what a return met. It changes nothing else, and nothing of a finished request.
  ///
  /// - Returns: false where the request has ended, so that nothing was noted.
  @discardableResult
  func refuse(_ request: LiveRequest, _ code: ConsentError.Code) async -> Bool {
    guard !request.isOver else { return false }
    let isRepeated = request.refusal == code
    request.refusal = code
    request.wakePages()
    // Somebody who knocks for ever keeps neither the disk nor the waiting apps busy.
    if isRepeated, let last = request.refusalNotedAt,
      BootInstant.now - last < Self.knockInterval
    {
      return true
    }
    request.refusalNotedAt = .now
    let lastReturn = LastReturn(at: tools.now(), code: code.rawValue)
    guard let ledger = ledgerIfAny else { return true }
    let change: RecordedChange?
    do {
      change = try await recorded { () async throws(LedgerError) in
        try await ledger.note(lastReturn, on: request.number)
      }
    } catch {
      return !request.isOver
    }
    guard let change else { return false }
    guard !request.isOver else { return true }
    request.row = change.row
    request.session.events.publish(change.event, request.takeActivationToken())
    waits.signal(change.row.requestId, of: request.session.id)
    log.info(
      "return refused", .request(change.row.requestId), .code(code.rawValue),
      .event(.returnRefused))
    return true
  }

  /// Notes a return that was to be refused when its request ended. Whoever ended it may not have
  /// heard yet that it is on the disk.
  private func noteReturn(ofEnded request: LiveRequest) async {
    let (id, session) = (request.row.requestId, request.session.id)
    let row = request.isOver ? request.row : try? await ledgerIfAny?.request(id, of: session)
    if let row, row.lastReturn == nil { _ = await noteReturn(of: row) }
  }

  /// How often the same refusal of one request is written down and told.
  static let knockInterval: Duration = .seconds(10)

  /// A request that ended before the person was back keeps the first return that met its end. No
  /// event tells of it: one told of the end.
  func noteReturn(of row: RequestRow) async -> RequestRow {
    let code = Self.returnCode(state: row.state, failure: row.failure)
    guard row.state.isFinal, row.lastReturn?.code != code, let ledger = ledgerIfAny else {
      return row
    }
    if let told = noteReturn(ofUnwritten: row.number, code: code) { return told }
    let lastReturn = LastReturn(at: tools.now(), code: code)
    recent.willChange()
    let noted = try? await ledger.noteAfterEnd(lastReturn, on: row.number)
    recent.didChange(to: noted)
    guard let noted else { return row }
    waits.signal(row.requestId, of: row.session)
    return noted
  }
}

extension PageState {
  /// Of a finished request; of any other, nothing is known from the node.
  init(_ state: RequestState) {
    switch state {
    case .approved: self = .approved
    case .declined: self = .declined
    case .replaced: self = .replaced
    case .expired: self = .expired
    case .cancelled: self = .cancelled
    case .starting, .started, .failed: self = .notConfirmed
    }
  }

  /// Of a refused return.
  init(refusal code: ConsentError.Code) {
    switch code {
    case .requestMismatch: self = .mismatch
    case .notDecided: self = .notDecided
    default: self = .notConfirmed
    }
  }
}
