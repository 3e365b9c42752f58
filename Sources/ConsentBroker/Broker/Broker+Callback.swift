package import Callback
package import EventLoop
import MeroConsent

extension Broker: ReturnJudge {
  package func note(_ answered: @autoclosure () -> String) {
    log.debug("callback: \(answered())")
  }

  /// Takes a return on the callback: `/return/{ticket}?query`, or `/return?query`.
  ///
  /// - Parameters:
  ///   - ticket: the bytes of the path after `/return/`, not decoded; `nil` for the bare path.
  ///   - rawQuery: what follows `?`; `nil` where there is none.
  package func callback(ticket: String?, rawQuery: String?) async -> CallbackAnswer {
    guard (try? ledger()) != nil else { return .unavailable }
    // The ticket does not count: its length is ours.
    guard let returned = try? ReturnURL(path: "/return", query: rawQuery) else {
      return .malformed
    }
    guard let ticket else {
      // A view is made for what is judged: there are only so many.
      guard canJudge(returned) else { return .tooMany(retryAfter: 1) }
      let (ticket, view) = views.make()
      judge(returned, for: view)
      return .done(ticket: ticket)
    }
    if let request = live.of(ticket: ticket) { return take(returned, of: request) }
    let found: RequestRow?
    do {
      found = try await recordedRequest(ticket: ticket)
    } catch {
      return .unavailable
    }
    guard let row = found else { return .unknownTicket }
    guard !returned.namesAnother(than: row.requestId) else {
      return .done(ticket: views.make(showing: .mismatch))
    }
    // It may have become one that is watched while the ledger was asked.
    if let request = live.of(ticket: ticket) { return take(returned, of: request) }
    _ = await noteReturn(of: row)
    return .done(ticket: ticket)
  }

  private func take(_ returned: ReturnURL, of request: LiveRequest) -> CallbackAnswer {
    guard !returned.namesAnother(than: request.row.requestId) else {
      // A page of its own: this return's verdict takes nothing from the request's. It is told
      // when the request's app can see it too.
      let (ticket, view) = views.make()
      Task {
        await refuse(request, .requestMismatch)
        view.show(.mismatch)
      }
      return .done(ticket: ticket)
    }
    // Its page waits for the verdict; this answer does not. Nothing is counted here: a request has two
    // verdicts under way at most, so that no other app is ever in the way of the person.
    judge(request)
    return .done(ticket: request.row.ticket)
  }

  /// The page of `/done/{ticket}`. Waits a moment for a verdict that is being found, so that
  /// most people see no interim page; `checking` where it takes longer, `not-confirmed` where it
  /// takes very long.
  ///
  /// - Parameter deadline: the latest moment to answer.
  package func page(ticket: String, until deadline: BootInstant) async -> PageState {
    if let view = views[ticket] {
      return await view.state(until: deadline) { isStopping }
    }
    if let request = live.of(ticket: ticket) {
      return await state(of: request, until: deadline)
    }
    let found: RequestRow?
    do {
      found = try await recordedRequest(ticket: ticket)
    } catch {
      return .notConfirmed
    }
    guard let row = found else { return .unknown }
    return PageState(row.state)
  }

  private func recordedRequest(ticket: String) async throws(Problem) -> RequestRow? {
    if let row = recent.row(ticket: ticket) { return row }
    var moment = recent.now
    let row = try await read(for: .ticket) { ledger throws(LedgerError) in
      moment = recent.now
      return try await ledger.request(ticket: ticket)
    }
    if let row { recent.keep(row, readAt: moment) }
    return row
  }

  private func state(of request: LiveRequest, until deadline: BootInstant) async -> PageState {
    let waiter = Waiter()
    request.pages.append(waiter)
    defer { request.pages.removeAll { $0 === waiter } }
    while !request.endIsTold, request.isReturnedTo, !isStopping {
      let slow = request.newestReturnAt + ViewTickets.Limits.checking
      if slow <= .now { return .notConfirmed }
      if await !waiter.wait(until: min(deadline, slow)), deadline <= .now { return .checking }
      if Task.isCancelled { return .checking }
    }
    if request.endIsTold { return PageState(request.current.state) }
    if let refusal = request.refusal { return PageState(refusal: refusal) }
    let code = request.row.lastReturn.flatMap { ConsentError.Code(rawValue: $0.code) }
    // No return was judged: the daemon may have been killed in the middle. “Not decided” would put
    // words into the node's mouth.
    return code.map(PageState.init(refusal:)) ?? .notConfirmed
  }
}
