import Callback
package import Desktop
import EventLoop
import MeroConsent

/// Returns that come without a ticket: through the desktop's URL handler, and on the callback from
/// a served page that has none. Anybody can send one, so few are judged at a time, and apart from
/// those that have a ticket.
extension Broker {
  /// Takes a return from the desktop's URL handler and judges it in the background.
  ///
  /// - Parameter activationToken: what the desktop gave the handler; the next event of the request
  ///   has it, so that its app can come to the front.
  /// - Throws: `RETURN_URL_MALFORMED`, `.tooMany(.returns)`.
  package func accept(
    returned url: String, activationToken: ActivationToken? = nil
  ) throws(Problem) {
    _ = try ledger()
    let returned: ReturnURL
    do {
      returned = try ReturnURL(url)
    } catch {
      throw .consent(error, requestId: nil)
    }
    guard
      beginJudging(returned, for: ViewTickets.View(), activationToken)
        || joins(returned, activationToken)
    else { throw .tooMany(.returns, retryAfter: 1) }
    log.info("a return came through the URL handler")
  }

  /// Judges a return in the background, for the page that shows its verdict.
  ///
  /// - Returns: false where as many as may be are being judged.
  func beginJudging(
    _ returned: ReturnURL, for view: ViewTickets.View, _ activationToken: ActivationToken? = nil
  ) -> Bool {
    let named = returned.requestId.map { live.of(requestId: $0) } ?? []
    guard hasRoom(for: returned, to: named) else { return false }
    // Counted before its task runs: a return of an unknown request asks the ledger and nobody else.
    count(returned, to: named, 1)
    Task {
      view.show(await verdict(on: returned, activationToken))
      count(returned, to: named, -1)
    }
    return true
  }

  /// Takes one more return of undecided requests that no page waits for. It costs nothing: a request
  /// has two verdicts under way at most, which all its returns share.
  private func joins(_ returned: ReturnURL, _ activationToken: ActivationToken?) -> Bool {
    guard let requestId = returned.requestId, !returned.contradictsItself else { return false }
    let named = live.of(requestId: requestId)
    guard !named.isEmpty else { return false }
    for request in named { judge(request, activationToken) }
    return true
  }

  func canJudge(_ returned: ReturnURL) -> Bool {
    hasRoom(for: returned, to: returned.requestId.map { live.of(requestId: $0) } ?? [])
  }

  /// Whether one more can be judged. A node that does not answer keeps its own requests' returns
  /// waiting, and leaves room for all others: no session has more than a third of what is free, which
  /// is a quarter of all where it is alone.
  private func hasRoom(for returned: ReturnURL, to named: [LiveRequest]) -> Bool {
    let free = BrokerLimits.ticketlessReturnsInFlight - ticketlessUnderWay
    guard free > 0 else { return false }
    if returned.requestId == nil { return namelessUnderWay * 3 < free }
    // A request that is over asks no node.
    return named.isEmpty
      || named.contains {
        $0.ticketlessReturns < BrokerLimits.ticketlessReturnsOfARequest
          && $0.session.ticketlessReturns * 3 < free
      }
  }

  private func count(_ returned: ReturnURL, to named: [LiveRequest], _ change: Int) {
    ticketlessUnderWay += change
    if returned.requestId == nil { namelessUnderWay += change }
    for request in named {
      request.ticketlessReturns += change
      request.session.ticketlessReturns += change
    }
  }

  private func verdict(
    on returned: ReturnURL, _ activationToken: ActivationToken?
  ) async -> PageState {
    guard !returned.contradictsItself else { return .mismatch }
    guard let requestId = returned.requestId else {
      // Of several nodes nobody can tell which of them the person comes from, also when all but one
      // have left before the verdicts are found.
      let isOneNode = Set(vault.all.map(\.row.nodeURL)).count < 2
      let states = await states(live.all.map { judge($0, namedIt: false) })
      return PageState.merged(states, isCertain: isOneNode)
    }
    var watched = live.of(requestId: requestId)
    var looks = watched.map { judge($0, activationToken) }
    let recorded = try? await read(for: .ticketless) { ledger throws(LedgerError) in
      try await ledger.newestRequests(named: requestId)
    }
    // It may have become one that is watched while the ledger was asked.
    for request in live.of(requestId: requestId)
    where !watched.contains(where: { $0 === request }) {
      watched.append(request)
      looks.append(judge(request, activationToken))
    }
    guard recorded != nil || !watched.isEmpty else { return .notConfirmed }
    let numbers = Set(watched.map(\.number))
    let finished = (recorded ?? []).filter { $0.state.isFinal && !numbers.contains($0.number) }
    let states = await states(looks).union(finished.map { PageState($0.state) })
    if watched.isEmpty, let newest = finished.first { _ = await noteReturn(of: newest) }
    let sessions = watched.map(\.session.id) + finished.map(\.session)
    let nodes = Set(sessions.map { vault.session(id: $0)?.row.nodeURL ?? $0 })
    return PageState.merged(states, isCertain: nodes.count < 2 || states.count < 2)
  }

  private func states(_ looks: [ReturnJudging]) async -> Set<PageState> {
    var states: Set<PageState> = []
    for look in looks {
      switch await look.look() {
      case .final(let row): states.insert(PageState(row.state))
      case .refused(let error): states.insert(PageState(refusal: error.code))
      case nil: states.insert(.notConfirmed)
      }
    }
    return states
  }
}

extension PageState {
  private static let ends: Set<PageState> = [.approved, .declined, .replaced, .expired, .cancelled]

  /// What one page says of several requests, one of which the person comes from.
  ///
  /// A node can give its requests any id, also one of another node's: no page says that something
  /// was approved because another node says so.
  ///
  /// - Parameter isCertain: whether an end that is among `states` is that request's.
  static func merged(_ states: Set<PageState>, isCertain: Bool) -> PageState {
    guard isCertain || states.isDisjoint(with: ends) else { return .notConfirmed }
    return tellingOrder.first(where: states.contains) ?? .mismatch
  }
}
