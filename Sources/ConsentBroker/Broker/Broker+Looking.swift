import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent

// One way in, one decision, one record, then out: every return and the watcher end here. What the
// disk does not take is in Broker+Unwritten.

extension Broker {
  /// Reads what the node says of a request, once for everybody who asks at the same time, and
  /// records what it means before anybody hears of it.
  ///
  /// - Parameter arrival: `readsBegun` when whoever asks came; `nil` for now.
  func look(at request: LiveRequest, since arrival: Int? = nil) async -> Look {
    let arrival = arrival ?? request.readsBegun
    while true {
      if request.isOver { return .final(request.row) }
      let reading = request.reading ?? beginReading(request)
      let look = await reading.task.value
      // A read that had begun before this return came may have been answered before the person
      // decided. Only one that began since can say "not decided" to it.
      if case .refused(let error) = look, error.code == .notDecided, reading.number <= arrival {
        continue
      }
      return look
    }
  }

  private func beginReading(_ request: LiveRequest) -> LiveRequest.Reading {
    request.readsBegun += 1
    request.lastReadAt = .now
    readsUnderWay += 1
    let task = Task { () -> Look in
      let look = await read(request)
      request.reading = nil
      readsUnderWay -= 1
      return look
    }
    let reading = LiveRequest.Reading(number: request.readsBegun, task: task)
    request.reading = reading
    return reading
  }

  private func read(_ request: LiveRequest) async -> Look {
    if let verdict = request.unwritten { return await settle(request, verdict) }
    let session = request.session
    let began = BootInstant.now
    let reading: MeroClient.Reading
    let given = session.tokensGiven
    if let client = session.client, !session.tokensAreSpent {
      request.reading?.isAsking = true
      defer { request.reading?.isAsking = false }
      reading = await client.read(request.row.requestId, kind: request.kind)
      noteTime(ofNode: reading.nodeDate, at: began)
      noteAnswer(reading.answer, of: session, given: given)
    } else {
      reading = MeroClient.Reading(answer: .failure(session.tokensAreNeeded), nodeDate: nil)
    }
    // It may have been cancelled meanwhile.
    if request.isOver { return .final(request.row) }
    if let date = reading.nodeDate { keepEnd(of: request, byNode: date, at: began) }
    switch ReadJudgement.judge(reading.answer, at: request.time(of: reading, begun: began)) {
    case .end(let state, let outcome, let failure):
      let ending = RequestEnding(
        state: state, at: tools.now().asKept, outcome: outcome.flatMap(StoredOutcome.init),
        failure: failure?.rawValue)
      // What a former run had told was taken up meanwhile.
      if let known = request.unwritten, known.told != nil { return await settle(request, known) }
      let verdict = LiveRequest.Verdict(ending: ending, outcome: outcome)
      request.unwritten = verdict
      return await settle(request, verdict)
    case .stay(let error):
      if let pause = error.retryAfter { request.notBefore = .now + pause }
      note(error, of: request)
      log.debug("not decided", .request(request.row.requestId), .code(error.code.rawValue))
      return .refused(error)
    case .nothing: return .refused(ConsentError(.nodeUnreachable))
    }
  }

  /// Writes a verdict before it is told. Where the disk does not take it, it is postponed.
  private func settle(_ request: LiveRequest, _ verdict: LiveRequest.Verdict) async -> Look {
    guard let ledger = ledgerIfAny else { return .refused(ConsentError(.stateUnavailable)) }
    var ending = verdict.ending
    if request.isReturnedTo, ending.lastReturn == nil {
      ending.lastReturn = LastReturn(at: tools.now().asKept, code: Self.returnCode(of: ending))
      request.unwritten?.ending = ending
    }
    let change: RecordedChange?
    do {
      change = try await recorded { () async throws(LedgerError) in
        try await ledger.finish(request.number, ending)
      }
    } catch {
      return postpone(request, because: error)
    }
    if let change {
      let told = request.unwritten?.told
      ended(change, of: request.session, outcome: verdict.outcome)
      // One that was told of while this was on its way to the disk.
      if let told, told.lastReturn != change.row.lastReturn {
        request.row = await noteReturn(of: change.row)
      }
      return .final(request.row)
    }
    if request.isOver { return .final(request.row) }
    // Something else ended it, and who did has not heard that it is on the disk.
    let number = request.number
    guard let row = try? await ledger.request(number: number) else {
      return .refused(ConsentError(.cancelled))
    }
    return .final(row)
  }

  /// Tells everybody of an end that is durable.
  func ended(_ change: RecordedChange, of session: Session, outcome: ConsentOutcome?) {
    if let outcome, outcome.isSecret { session.keep(outcome, of: change.row.number) }
    leftStarting[change.row.number] = nil
    recent.keep(change.row)
    recentEnds.note(change.row.state)
    var activationToken: ActivationToken?
    var wasTold = false
    if let request = live.of(number: change.row.number) {
      activationToken = request.takeActivationToken()
      wasTold = request.unwritten?.told != nil
      if wasTold { forgetNote(of: request) }
      session.events.forgetUnrecorded(request.number)
      request.row = change.row
      request.isOver = true
      request.unwritten = nil
      request.timer.disarm()
      live.remove(request)
      nodeTurns.exempt(request.turn)
      // Nobody needs an answer any more.
      if let reading = request.reading, reading.isAsking { reading.task.cancel() }
      request.wakePages()
    }
    // However long its app has waited, it has time to learn of this.
    if vault.session(id: session.id) === session, session.endsUnderWay == 0 {
      housekeeping.noteUse(of: session)
    }
    session.events.publish(change.event, activationToken)
    waits.signal(change.row.requestId, of: session.id)
    log.info(
      "request ended", .request(change.row.requestId), .session(session.id),
      .code(change.row.failure ?? change.row.state.rawValue), .event(.requestEnded))
    if !wasTold { onFinished?(change.row.kind, change.row.state, session.row.package) }
    onCountsChanged?()
  }

  /// A row that a crash left `starting` is given up after a day.
  func giveUpStarting(_ number: Int64) async {
    guard let ledger = ledgerIfAny else { return }
    let ending = RequestEnding(
      state: .failed, at: tools.now(), failure: ConsentError.Code.nodeUnreachable.rawValue)
    let finished: RecordedChange?
    do {
      finished = try await ledger.finish(number, ending)
    } catch {
      return
    }
    leftStarting[number] = nil
    // Something else may have ended it, or its session.
    guard let change = finished, let session = vault.session(id: change.row.session) else { return }
    ended(change, of: session, outcome: nil)
  }

  /// `lastReturn.code` of a return that found this end.
  static func returnCode(of ending: RequestEnding) -> String {
    returnCode(state: ending.state, failure: ending.failure)
  }

  static func returnCode(state: RequestState, failure: String?) -> String {
    switch state {
    case .approved, .declined: "OK"
    case .replaced: ConsentError.Code.replaced.rawValue
    case .expired: ConsentError.Code.expired.rawValue
    case .cancelled: ConsentError.Code.cancelled.rawValue
    case .failed: failure ?? ConsentError.Code.nodeError.rawValue
    case .starting, .started: ConsentError.Code.notDecided.rawValue
    }
  }
}
