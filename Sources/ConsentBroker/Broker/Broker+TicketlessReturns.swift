import Callback
package import Desktop
import EventLoop
import MeroConsent

/// Returns that come without a ticket: through the desktop's URL handler, and on the callback from
/// a served page that has none.
///
/// Anybody can send one, and none is in the way of another: a request has two verdicts under way at
/// most, which all its returns share, and those that name nothing have two in common. Pages wait for
/// them, of which there are only so many (`ViewTickets`). What names no undecided request asks the
/// ledger, and only so many do at a time.
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
    guard canJudge(returned) else { throw .tooMany(.returns, retryAfter: 1) }
    judge(returned, activationToken)
    // Somebody who knocks for ever fills no journal.
    if let last = returnLoggedAt, BootInstant.now - last < Self.returnLogInterval { return }
    returnLoggedAt = .now
    log.info("a return came through the URL handler")
  }

  private static let returnLogInterval: Duration = .seconds(1)

  /// Whether a return can be judged now.
  func canJudge(_ returned: ReturnURL) -> Bool {
    guard let requestId = returned.requestId, !returned.contradictsItself else { return true }
    return !live.of(requestId: requestId).isEmpty
      || lookupsUnderWay < BrokerLimits.lookupsOfReturns
  }

  /// Where no page waits for the verdict.
  private func judge(_ returned: ReturnURL, _ activationToken: ActivationToken?) {
    guard !returned.contradictsItself else { return }
    guard let requestId = returned.requestId else {
      for request in live.all { judge(request, namedIt: false) }
      return
    }
    let named = live.of(requestId: requestId)
    guard named.isEmpty else {
      for request in named { judge(request, activationToken) }
      return
    }
    lookupsUnderWay += 1
    Task {
      let finished = await finishedRequests(named: requestId)
      lookupsUnderWay -= 1
      // It may have become one that is watched while the ledger was asked.
      let named = live.of(requestId: requestId)
      for request in named { judge(request, activationToken) }
      if named.isEmpty, let newest = finished?.first { _ = await noteReturn(of: newest) }
    }
  }

  /// Judges a return for the page that shows its verdict.
  ///
  /// - Precondition: `canJudge`.
  func judge(_ returned: ReturnURL, for view: ViewTickets.View) {
    guard !returned.contradictsItself else { return view.show(.mismatch) }
    guard let requestId = returned.requestId else {
      let (verdict, isOfThisMoment, isOfAll) = judgeAll()
      // An end counts where there was one node when this return came, and when the verdict began.
      let isOneNode = isOneNode && verdict.isOneNode
      view.find { [self] in
        let states = await verdict.work.result() ?? [.notConfirmed]
        let state = PageState.ofOne(states, recently: recentEnds.states, isOneNode: isOneNode)
        // What was read before this return came tells an end and nothing else.
        let isCertain = PageState.ends.contains(state) ? isOfAll : isOfThisMoment
        return isCertain ? state : .notConfirmed
      }
      return
    }
    let watched = live.of(requestId: requestId)
    let looks = watched.map { judge($0) }
    if watched.isEmpty { lookupsUnderWay += 1 }
    view.find { [self] in
      let finished = await finishedRequests(named: requestId)
      if watched.isEmpty { lookupsUnderWay -= 1 }
      return await state(of: requestId, watched, looks, finished)
    }
  }

  /// `nil` where the ledger cannot be read.
  private func finishedRequests(named requestId: String) async -> [RequestRow]? {
    let recorded = try? await read(for: .ticketless) { ledger throws(LedgerError) in
      try await ledger.newestRequests(named: requestId)
    }
    return recorded?.filter(\.state.isFinal)
  }

  private func state(
    of requestId: String, _ watched: [LiveRequest], _ looks: [ReturnJudging],
    _ finished: [RequestRow]?
  ) async -> PageState {
    var (watched, looks) = (watched, looks)
    // It may have become one that is watched while the ledger was asked.
    for request in live.of(requestId: requestId)
    where !watched.contains(where: { $0 === request }) {
      watched.append(request)
      looks.append(judge(request))
    }
    guard finished != nil || !watched.isEmpty else { return .notConfirmed }
    let numbers = Set(watched.map(\.number))
    let others = (finished ?? []).filter { !numbers.contains($0.number) }
    let states = await Self.states(looks).union(others.map { PageState($0.state) })
    if watched.isEmpty, let newest = others.first { _ = await noteReturn(of: newest) }
    let sessions = watched.map(\.session.id) + others.map(\.session)
    let nodes = Set(sessions.map { vault.session(id: $0)?.row.nodeURL ?? $0 })
    return PageState.merged(states, isCertain: nodes.count < 2 || states.count < 2)
  }

  /// The verdict on a return that names nothing, for which every undecided request is read.
  ///
  /// - Returns: `isOfThisMoment` where no read of it had begun before; `isOfAll` where it is about all
  ///   that are undecided now.
  private func judgeAll() -> (verdict: NamelessJudging, isOfThisMoment: Bool, isOfAll: Bool) {
    let requests = live.all
    let looks = requests.map { judge($0, namedIt: false) }
    if let newest = nameless.last {
      let isSame = newest.looks.elementsEqual(looks, by: ===)
      // A node that does not answer keeps both waiting, however many returns come meanwhile.
      if isSame || nameless.count > 1 {
        return (newest, isSame, requests.allSatisfy { newest.numbers.contains($0.number) })
      }
    }
    let verdict = NamelessJudging(looks, of: requests, isOneNode: isOneNode)
    nameless.append(verdict)
    Task {
      let states = await Self.states(looks)
      nameless.removeAll { $0 === verdict }
      verdict.work.end(states)
    }
    return (verdict, true, true)
  }

  /// Of several nodes nobody can tell which of them the person comes from.
  private var isOneNode: Bool { Set(vault.all.map(\.row.nodeURL)).count < 2 }

  private static func states(_ looks: [ReturnJudging]) async -> Set<PageState> {
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

/// The verdict on returns that name nothing: one of all requests that were undecided.
@LoopActor final class NamelessJudging {
  let looks: [ReturnJudging]
  /// Of the requests that it is about.
  let numbers: Set<Int64>
  /// Also when all but one have left before the verdicts are found.
  let isOneNode: Bool
  let work = SharedWork<Set<PageState>>()

  init(_ looks: [ReturnJudging], of requests: [LiveRequest], isOneNode: Bool) {
    self.looks = looks
    numbers = Set(requests.map(\.number))
    self.isOneNode = isOneNode
  }
}

extension PageState {
  fileprivate static let ends: Set<PageState> = [
    .approved, .declined, .replaced, .expired, .cancelled,
  ]

  /// What the page says of a return that names nothing: an end only where all requests that it may
  /// be of have the same, and are of one node.
  ///
  /// - Parameters:
  ///   - states: of the requests that were undecided when it came.
  ///   - recent: the ends that there were lately.
  static func ofOne(
    _ states: Set<PageState>, recently recent: Set<PageState>, isOneNode: Bool
  ) -> PageState {
    let all = states.union(recent)
    guard !all.isDisjoint(with: ends) else {
      return tellingOrder.first(where: all.contains) ?? .notConfirmed
    }
    return all.count == 1 && isOneNode ? all.first ?? .notConfirmed : .notConfirmed
  }

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
