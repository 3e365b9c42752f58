import Callback
import EventLoop
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct TicketlessReturnTests {
  @Test func onlySoManyAreJudgedAtATimeAndNoneIsInTheWayOfATicket() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    // Of requests that nobody has recorded: each asks the ledger and no node.
    for number in 0..<BrokerLimits.ticketlessReturnsInFlight {
      try fixture.broker.accept(returned: "mero:r?request_id=nobodys-\(number)")
    }
    #expect(!fixture.broker.isIdle)
    #expect(
      await refusal { try fixture.broker.accept(returned: "mero:r?request_id=one-more") }
        == "tooMany returns")
    fixture.node.approve("rq-1")
    #expect(await fixture.page(ticket, "request_id=rq-1") == .approved)
    try await LoopActor.until { fixture.broker.ticketlessUnderWay == 0 }
    try fixture.broker.accept(returned: "mero:r?request_id=later")
  }

  /// One node that does not answer keeps its own requests' returns waiting, and nobody else's.
  @Test func aSilentNodesReturnsLeaveRoomForOthers() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (silent, _) = try await fixture.openSession()
    var theirs: [String] = []
    for _ in 1...20 { theirs.append(try await fixture.start(silent).requestId) }
    let (other, _) = try await fixture.openSession()
    let mine = try await fixture.start(other).requestId
    fixture.node.holdCalls()
    func come(_ requestId: String?) async -> String? {
      await refusal {
        try fixture.broker.accept(
          returned: "mero:r" + (requestId.map { "?request_id=\($0)" } ?? ""))
      }
    }
    for _ in 1...BrokerLimits.ticketlessReturnsOfARequest { #expect(await come(theirs[0]) == nil) }
    // Where no page waits for it, a further one shares the verdict on the others.
    try await LoopActor.until { fixture.node.reads(of: theirs[0]) == 1 }
    let underWay = fixture.broker.ticketlessUnderWay
    for _ in 1...100 { #expect(await come(theirs[0]) == nil) }
    #expect(fixture.broker.ticketlessUnderWay == underWay)
    #expect(fixture.broker.live.of(requestId: theirs[0]).first?.judgings.count == 2)
    func waits(_ requestId: String) async -> Bool {
      let page = await fixture.broker.callback(ticket: nil, rawQuery: "request_id=\(requestId)")
      guard case .done = page else { return false }
      return true
    }
    #expect(await !waits(theirs[0]))
    var taken = BrokerLimits.ticketlessReturnsOfARequest
    for id in theirs.dropFirst() where await waits(id) { taken += 1 }
    #expect(taken == BrokerLimits.ticketlessReturnsInFlight / 4)
    // Those that name nothing have to wait for all nodes.
    var nameless = 0
    while await come(nil) == nil { nameless += 1 }
    #expect((1...BrokerLimits.ticketlessReturnsInFlight / 4).contains(nameless))
    #expect(await come(mine) == nil)
    #expect(await waits(mine))
    fixture.node.release()
    try await LoopActor.until { fixture.broker.ticketlessUnderWay == 0 }
    #expect(await come(theirs[0]) == nil)
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
