import Callback
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct TicketlessReturnTests {
  @Test func onlySoManyAskTheRecordAtATimeAndNoneIsInTheWayOfATicket() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    // Of requests that nobody has recorded: each asks the ledger and no node.
    for number in 0..<BrokerLimits.lookupsOfReturns {
      try fixture.broker.accept(returned: "mero:r?request_id=nobodys-\(number)")
    }
    #expect(!fixture.broker.isIdle)
    #expect(
      await refusal { try fixture.broker.accept(returned: "mero:r?request_id=one-more") }
        == "tooMany returns")
    #expect(
      await fixture.broker.callback(ticket: nil, rawQuery: "request_id=one-more")
        == .tooMany(retryAfter: 1))
    // Of one that is undecided, with a ticket and without one.
    fixture.node.approve("rq-1")
    try fixture.broker.accept(returned: "mero:r?request_id=rq-1")
    let bare = await fixture.broker.callback(ticket: nil, rawQuery: "request_id=rq-1")
    guard case .done = bare else {
      Issue.record("the return was not taken")
      return
    }
    #expect(await fixture.page(ticket, "request_id=rq-1") == .approved)
    try await LoopActor.until { fixture.broker.lookupsUnderWay == 0 }
    try fixture.broker.accept(returned: "mero:r?request_id=later")
  }

  @Test func theDaemonStaysAwakeWhileTheRecordIsAsked() async throws {
    let fixture = try await BrokerFixture()
    #expect(fixture.broker.isIdle)
    try fixture.broker.accept(returned: "mero:r?request_id=nobodys")
    #expect(!fixture.broker.isIdle)
    try await LoopActor.until { fixture.broker.isIdle }
  }

  /// However many sessions have nodes that do not answer, and however many returns come for them.
  @Test func silentNodesKeepNobodysReturnsAway() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    var theirs: [String] = []
    for _ in 1...14 {
      let (silent, _) = try await fixture.openSession()
      for _ in 1...6 { theirs.append(try await fixture.start(silent).requestId) }
    }
    let (caller, _) = try await fixture.openSession()
    let mine = try await fixture.start(caller).requestId
    fixture.node.holdCalls()
    for _ in 1...3 {
      for id in theirs {
        try fixture.broker.accept(returned: "mero:r?request_id=\(id)")
        let page = await fixture.broker.callback(ticket: nil, rawQuery: "request_id=\(id)")
        guard case .done = page else {
          Issue.record("\(page)")
          return
        }
      }
      try fixture.broker.accept(returned: "mero:r")
    }
    #expect(fixture.broker.judgingsUnderWay <= 2 * (theirs.count + 1))
    fixture.node.approve(mine)
    guard
      case .done(let view) = await fixture.broker.callback(
        ticket: nil, rawQuery: "request_id=\(mine)")
    else {
      Issue.record("the return was not taken")
      return
    }
    // Nobody is in its way: it is read while all others wait.
    try await LoopActor.until { fixture.node.reads(of: mine) > 0 }
    fixture.node.release()
    #expect(await fixture.broker.page(ticket: view, until: .now + .seconds(60)) == .approved)
    try await LoopActor.until { fixture.broker.judgingsUnderWay == 0 }
    #expect(fixture.broker.isIdle == false)
  }

  private func nameless(_ fixture: BrokerFixture) async -> String? {
    guard case .done(let view) = await fixture.broker.callback(ticket: nil, rawQuery: nil) else {
      return nil
    }
    return view
  }

  private func state(_ fixture: BrokerFixture, _ view: String?) async throws -> PageState {
    await fixture.broker.page(ticket: try #require(view), until: .now + .seconds(60))
  }

  /// An undecided request, of which the node is not asked.
  private func handOverAnother(_ fixture: BrokerFixture, _ caller: Caller) async throws {
    _ = try await fixture.broker.record(
      ConsentStarted(
        requestId: "rq-2", url: "\(TestNode.origin)/consent/rq-2", code: "ABCD-EF",
        expiresAt: Date().addingTimeInterval(300), kind: .createOrg),
      open: false, idempotencyKey: nil, for: caller)
    fixture.node.decide("rq-2", .pending)
  }

  @Test func returnsThatNameNothingShareTwoVerdicts() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.node.holdCalls()
    let first = await nameless(fixture)
    await fixture.node.arrival()
    // Its read has begun: whoever comes now has another one to wait for.
    var views: [String?] = []
    for _ in 1...200 { views.append(await nameless(fixture)) }
    #expect(!views.contains(nil))
    #expect(fixture.broker.nameless.count == 2)
    // One that this verdict is not about.
    try await handOverAnother(fixture, caller)
    let inexact = await nameless(fixture)
    #expect(fixture.broker.nameless.count == 2)
    fixture.node.release()
    #expect(try await state(fixture, first) == .notDecided)
    #expect(try await state(fixture, views[0]) == .notDecided)
    #expect(try await state(fixture, views[199]) == .notDecided)
    // Nobody has asked the node about it since.
    #expect(try await state(fixture, inexact) == .notConfirmed)
    #expect(fixture.node.reads(of: "rq-1") == 2)
    try await LoopActor.until { fixture.broker.nameless.isEmpty }
    #expect(fixture.node.reads(of: "rq-2") == 1)
  }

  /// It is nobody's return.
  @Test func aReturnThatNamesNothingMovesNothingOfARequest() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    #expect(try await state(fixture, await nameless(fixture)) == .notDecided)
    #expect(request.refusal == nil)
    #expect(try await fixture.row("rq-1", caller)?.lastReturn == nil)
    #expect(await fixture.page(ticket, "request_id=rq-1") == .notDecided)
    let came = request.newestReturnAt
    fixture.node.holdCalls()
    let view = await nameless(fixture)
    await fixture.node.arrival()
    #expect(request.newestReturnAt == came)
    // What the request's own return met is told meanwhile.
    #expect(await fixture.broker.page(ticket: ticket, until: .now) == .notDecided)
    fixture.node.approve("rq-1")
    fixture.node.release()
    #expect(try await state(fixture, view) == .approved)
    #expect(
      try await fixture.row("rq-1", caller)?.lastReturn?.code == "CONSENT_NOT_DECIDED")
  }

  @Test func aPageThatIsForgottenWaitsForNothing() async throws {
    let views = ViewTickets()
    var ended = false
    views.make().view.find {
      _ = await Waiter().wait(until: .now + .hours(1))
      ended = Task.isCancelled
      return .approved
    }
    for _ in 1...ViewTickets.Limits.views { _ = views.make() }
    try await LoopActor.until { ended }
  }

  @Test func aNodeThatLeavesMakesNothingCertain() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    let other = try await fixture.broker.openSession(
      SessionOpening(
        package: "com.example.other", account: nil, nodeURL: "https://other.example",
        trust: .node(.transportKey(String(repeating: "0f", count: 32))),
        tokens: SessionTokens(accessToken: "another-token"), origins: [], returnTo: nil))
    fixture.node.approve("rq-1")
    fixture.node.holdCalls()
    guard case .done(let view) = await fixture.broker.callback(ticket: nil, rawQuery: nil) else {
      Issue.record("the return was not taken")
      return
    }
    await fixture.node.arrival()
    // Whoever came back may have come from there.
    try await fixture.broker.closeSession(of: fixture.broker.authenticate(key: other.key))
    fixture.node.release()
    let page = await fixture.broker.page(ticket: view, until: .now + .seconds(60))
    #expect(page == .notConfirmed)
  }

  /// It shares a verdict that began when there was one node only.
  @Test func aNodeThatCameBeforeTheReturnMakesNothingCertain() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.node.approve("rq-1")
    fixture.node.holdCalls()
    func come() async throws -> String {
      guard case .done(let view) = await fixture.broker.callback(ticket: nil, rawQuery: nil) else {
        throw CancellationError()
      }
      return view
    }
    _ = try await come()
    await fixture.node.arrival()
    let before = try await come()
    _ = try await fixture.broker.openSession(
      SessionOpening(
        package: "com.example.other", account: nil, nodeURL: "https://other.example",
        trust: .node(.transportKey(String(repeating: "0f", count: 32))),
        tokens: SessionTokens(accessToken: "another-token"), origins: [], returnTo: nil))
    let after = try await come()
    fixture.node.release()
    #expect(await fixture.broker.page(ticket: before, until: .now + .seconds(60)) == .approved)
    #expect(await fixture.broker.page(ticket: after, until: .now + .seconds(60)) == .notConfirmed)
  }

  /// A person comes back from one page, and nobody says from which.
  @Test func aReturnThatNamesNothingIsToldNoOthersEnd() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (one, _) = try await fixture.openSession()
    let (two, _) = try await fixture.openSession()
    _ = try await fixture.start(one)
    _ = try await fixture.start(two)
    fixture.node.approve("rq-1")
    // From the one that is pending, or from the other.
    #expect(try await state(fixture, await nameless(fixture)) == .notConfirmed)
    fixture.node.decide("rq-2", .declined)
    #expect(try await state(fixture, await nameless(fixture)) == .notConfirmed)
    #expect(try await state(fixture, await nameless(fixture)) == .notConfirmed)
  }

  /// Its app may know it already, and may have closed its session.
  @Test func aReturnThatNamesNothingIsOfWhatEndedLately() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (one, _) = try await fixture.openSession()
    #expect(try await state(fixture, await nameless(fixture)) == .notConfirmed)
    _ = try await fixture.start(one)
    fixture.node.approve("rq-1")
    _ = try await fixture.broker.confirm("rq-1", returned: "a:b", for: one)
    #expect(try await state(fixture, await nameless(fixture)) == .approved)
    let (two, _) = try await fixture.openSession()
    _ = try await fixture.start(two)
    #expect(try await state(fixture, await nameless(fixture)) == .notConfirmed)
    fixture.node.decide("rq-2", .declined)
    _ = try await fixture.broker.confirm("rq-2", returned: "a:b", for: two)
    try await fixture.broker.closeSession(of: two)
    _ = try await fixture.start(one)
    fixture.node.approve("rq-3")
    #expect(try await state(fixture, await nameless(fixture)) == .notConfirmed)
  }

  /// It shares verdicts that others wait for, none of which is about the newest request.
  @Test func anEndOfOthersIsNotThatOfARequestThatCameSince() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.node.holdAnswers()
    fixture.node.approve("rq-1")
    let first = await nameless(fixture)
    await fixture.node.arrival()
    _ = await nameless(fixture)
    #expect(fixture.broker.nameless.count == 2)
    try await handOverAnother(fixture, caller)
    let since = await nameless(fixture)
    fixture.node.release()
    #expect(try await state(fixture, first) == .approved)
    #expect(try await state(fixture, since) == .notConfirmed)
  }

  @Test(arguments: [
    ([PageState.approved], [PageState](), true, PageState.approved),
    ([.approved], [], false, .notConfirmed), ([.approved], [.approved], true, .approved),
    ([.approved], [.declined], true, .notConfirmed), ([], [.declined], true, .declined),
    ([], [.declined], false, .notConfirmed), ([], [.approved, .declined], true, .notConfirmed),
    ([.approved, .notDecided], [], true, .notConfirmed), ([.notDecided], [], false, .notDecided),
    ([.notDecided], [.approved], true, .notConfirmed), ([.replaced], [], true, .replaced),
    ([.notDecided, .notConfirmed], [], true, .notDecided), ([], [], true, .notConfirmed),
  ])
  func whatNamesNothingIsToldWhatAllHaveInCommon(
    _ states: [PageState], _ recent: [PageState], _ isOneNode: Bool, _ page: PageState
  ) {
    #expect(
      PageState.ofOne(Set(states), recently: Set(recent), isOneNode: isOneNode) == page)
  }

  @Test(arguments: [
    ([PageState.approved], true, PageState.approved), ([.approved], false, .notConfirmed),
    ([.approved, .notDecided], true, .approved), ([.approved, .notDecided], false, .notConfirmed),
    ([.declined, .expired], false, .notConfirmed), ([.notDecided, .mismatch], false, .notDecided),
    ([], false, .mismatch),
  ])
  func noPageTellsAnEndThatIsNotCertain(
    _ states: [PageState], _ isCertain: Bool, _ page: PageState
  ) {
    #expect(PageState.merged(Set(states), isCertain: isCertain) == page)
  }
}
