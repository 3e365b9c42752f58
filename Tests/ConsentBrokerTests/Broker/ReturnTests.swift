import Callback
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct ReturnTests {
  // MARK: Through the callback

  @Test func aReturnConfirmsWhatTheNodeSays() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    fixture.node.approve("rq-1")
    // What the query says about the decision is nothing.
    #expect(await fixture.page(ticket, "request_id=rq-1&result=declined") == .approved)
    let view = try await fixture.broker.get("rq-1", for: caller)
    #expect(view.decision == .approved)
    #expect(view.outcome == .orgCreated(orgId: "org-rq-1"))
    #expect(view.changesOrganizations == true)
    #expect(view.decidedAt != nil)
    #expect(view.lastReturn?.code == "OK")
    #expect(try await fixture.row("rq-1", caller)?.state == .approved)
  }

  @Test func aMadeUpResultIsNeitherStoredNorSent() async throws {
    // C-028: the node says pending, then declined; the return says approved both times.
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    let query = "request_id=rq-1&result=approved"
    #expect(await fixture.page(ticket, query) == .notDecided)
    var view = try await fixture.broker.get("rq-1", for: caller)
    #expect(view.state == .started)
    #expect(view.lastReturn?.code == "CONSENT_NOT_DECIDED")
    fixture.node.decide("rq-1", .declined)
    #expect(await fixture.page(ticket, query) == .declined)
    view = try await fixture.broker.get("rq-1", for: caller)
    #expect(view.state == .declined)
    #expect(view.changesOrganizations == false)
    #expect(try await fixture.events(caller).map(\.state) == [.started, .started, .declined])
  }

  @Test func parallelReturnsShareOneCallAndAreToldTheSame() async throws {
    // C-032
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    fixture.node.approve("rq-1")
    fixture.node.holdCalls()
    let pages = (1...8).map { _ in Task { await fixture.page(ticket, "request_id=rq-1") } }
    let direct = Task {
      try await fixture.broker.confirm("rq-1", returned: "app:/?request_id=rq-1", for: caller).state
    }
    await fixture.node.arrival()
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    try await LoopActor.until { request.pages.count == pages.count && request.returnCalls == 1 }
    fixture.node.release()
    for page in pages { #expect(await page.value == .approved) }
    #expect(try await direct.value == .approved)
    #expect(fixture.node.reads(of: "rq-1") == 1)
    for _ in 1...3 { #expect(await fixture.page(ticket, "request_id=rq-1") == .approved) }
    #expect(fixture.node.reads(of: "rq-1") == 1)
    #expect(try await fixture.events(caller).map(\.state) == [.started, .approved])
    #expect(fixture.finished == ["createOrg approved"])
  }

  @Test func aReturnIsNotAnsweredFromAReadThatBeganBeforeIt() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    // The node has answered "pending", and the answer is on its way while the person decides.
    fixture.node.holdAnswers()
    let first = Task { await fixture.page(ticket, "request_id=rq-1") }
    await fixture.node.arrival()
    fixture.node.approve("rq-1")
    let second = Task { await fixture.page(ticket, "request_id=rq-1") }
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    try await LoopActor.until { request.judgings.count == 2 }
    await LoopActor.drain()
    #expect(fixture.node.reads(of: "rq-1") == 1)
    fixture.node.release()
    #expect(await second.value == .approved)
    #expect(await first.value == .approved)
    #expect(fixture.node.reads(of: "rq-1") == 2)
  }

  @Test func aReturnForAnotherRequestChangesNothingButLastReturn() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    let (other, _) = try await fixture.openSession()
    _ = try await fixture.start(other)
    let before = try await fixture.row("rq-2", other)
    for query in [
      "request_id=rq-2", "request_id=nobody", "request_id=rq-1&request_id=rq-2",
      "request_id=rq-1&request%5Fid=rq-2", "request_id=rq-1&result=approved&result=declined",
    ] {
      #expect(await fixture.page(ticket, query) == .mismatch, "\(query)")
    }
    try await fixture.quiet()
    #expect(fixture.node.reads(of: "rq-1") == 0)
    #expect(fixture.node.reads(of: "rq-2") == 0)
    let view = try await fixture.broker.get("rq-1", for: caller)
    #expect(view.state == .started)
    #expect(view.lastReturn?.code == "CONSENT_REQUEST_MISMATCH")
    #expect(try await fixture.row("rq-2", other) == before)
    // The ticket's own page says so too, until its own return comes.
    #expect(await fixture.broker.page(ticket: ticket, until: .now) == .mismatch)
    fixture.node.approve("rq-1")
    #expect(await fixture.page(ticket, "request_id=rq-1&request_id=rq-1") == .approved)
    // A finished request is not touched by strangers' returns.
    let revision = try await fixture.row("rq-1", caller)?.revision
    #expect(await fixture.page(ticket, "request_id=rq-2") == .mismatch)
    #expect(try await fixture.row("rq-1", caller)?.revision == revision)
  }

  @Test(arguments: [
    "request_id=", "request_id=%", "request_id=%zz", "request_id=%ff",
    "request_id=" + String(repeating: "x", count: 8 * 1024),
  ])
  func aMalformedReturnConfirmsNothing(_ query: String) async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    #expect(await fixture.broker.callback(ticket: ticket, rawQuery: query) == .malformed)
    #expect(await fixture.broker.callback(ticket: nil, rawQuery: query) == .malformed)
    #expect(fixture.node.reads(of: "rq-1") == 0)
    #expect(try await fixture.broker.get("rq-1", for: caller).lastReturn == nil)
  }

  @Test func ticketsAreBytes() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    for other in ["", "nobody", ticket.uppercased() + "x", ticket + "\u{0}", "\u{212a}"] {
      #expect(
        await fixture.broker.callback(ticket: other, rawQuery: "request_id=rq-1")
          == .unknownTicket, "\(other)")
      #expect(await fixture.broker.page(ticket: other, until: .now) == .unknown)
    }
  }

  @Test func twoRequestsInAnyOrder() async throws {
    // C-011
    let fixture = try await BrokerFixture()
    let (one, _) = try await fixture.openSession()
    let (two, _) = try await fixture.openSession()
    let first = try fixture.ticket(of: try await fixture.start(one))
    let second = try fixture.ticket(of: try await fixture.start(two))
    fixture.node.decide("rq-1", .declined)
    fixture.node.approve("rq-2")
    #expect(await fixture.page(second, "request_id=rq-2") == .approved)
    #expect(await fixture.page(first, "request_id=rq-1") == .declined)
  }

  @Test func aReturnOfACancelledRequestIsKeptForNobody() async throws {
    // C-031
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    _ = try await fixture.broker.cancel("rq-1", for: caller)
    fixture.node.approve("rq-1")
    #expect(await fixture.page(ticket, "request_id=rq-1") == .cancelled)
    #expect(fixture.node.reads(of: "rq-1") == 0)
    let view = try await fixture.start(caller)
    #expect(view.lastReturn == nil)
    #expect(try await fixture.events(caller).count { $0.requestId == "rq-2" } == 1)
  }

  // MARK: Without a ticket

  @Test func aBareReturnConfirmsEveryUndecidedRequestOfItsId() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (one, _) = try await fixture.openSession()
    let (two, _) = try await fixture.openSession()
    fixture.node.nextId = "same"
    _ = try await fixture.start(one)
    fixture.node.nextId = "same"
    _ = try await fixture.start(two)
    let (three, _) = try await fixture.openSession()
    _ = try await fixture.start(three)
    fixture.node.approve("same")
    #expect(await fixture.page(nil, "request_id=same") == .approved)
    #expect(try await fixture.broker.get("same", for: one).state == .approved)
    #expect(try await fixture.broker.get("same", for: two).state == .approved)
    #expect(fixture.node.reads(of: "rq-3") == 0)
    // Again: from the record.
    #expect(await fixture.page(nil, "request_id=same") == .approved)
    #expect(fixture.node.reads(of: "same") == 2)
  }

  @Test func aBareReturnOfNobodysRequestIsAMismatch() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    #expect(await fixture.page(nil, "request_id=nobody") == .mismatch)
    #expect(await fixture.page(nil, "request_id=rq-1&request_id=x") == .mismatch)
    #expect(fixture.node.reads(of: "rq-1") == 0)
    #expect(try await fixture.broker.get("rq-1", for: caller).lastReturn == nil)
  }

  @Test func aBareReturnWithoutAnIdHasEveryUndecidedRequestRead() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (one, _) = try await fixture.openSession()
    let (two, _) = try await fixture.openSession()
    _ = try await fixture.start(one)
    _ = try await fixture.start(two)
    fixture.node.approve("rq-2")
    // From which of them the person comes nobody knows; their apps know how each has ended.
    #expect(await fixture.page(nil, nil) == .notConfirmed)
    #expect(fixture.node.reads(of: "rq-1") == 1)
    #expect(try await fixture.broker.get("rq-2", for: two).state == .approved)
    // It named nobody, so it is nobody's return.
    #expect(try await fixture.broker.get("rq-1", for: one).lastReturn == nil)
  }

  @Test func theURLHandlersDoorLeadsToTheSamePlace() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    fixture.node.approve("rq-1")
    try fixture.broker.accept(returned: "mero:return?request_id=rq-1&result=declined")
    let result = try await fixture.broker.wait(
      for: "rq-1", changedFrom: view.etag, until: .now + .seconds(60), for: caller)
    guard case .changed(let changed) = result else {
      Issue.record("no change")
      return
    }
    #expect(changed.state == .approved)
    #expect(changed.lastReturn?.code == "OK")
    #expect(
      await refusal { try fixture.broker.accept(returned: "mero:return?request_id=%") }
        == "RETURN_URL_MALFORMED")
  }

  // MARK: By the app itself

  @Test func anAppIsToldWhyItsReturnIsRefused() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    func met(_ url: String) async -> String? {
      await refusal { try await fixture.broker.confirm("rq-1", returned: url, for: caller) }
    }
    #expect(await met("mero:r?request_id=rq-1") == "CONSENT_NOT_DECIDED")
    #expect(await met("mero:r?request_id=rq-2") == "CONSENT_REQUEST_MISMATCH")
    #expect(await met("mero:r?request_id=%") == "RETURN_URL_MALFORMED")
    fixture.node.isDown = true
    #expect(await met("mero:r?request_id=rq-1") == "NODE_UNREACHABLE")
    #expect(
      try await fixture.broker.get("rq-1", for: caller).lastReturn?.code == "NODE_UNREACHABLE")
    fixture.node.isDown = false
    fixture.node.decide("rq-1", .broken(status: 500, body: ""))
    #expect(await met("mero:r?request_id=rq-1") == "NODE_ERROR")
    fixture.node.decide("rq-1", .broken(status: 200, body: "<html>"))
    #expect(await met("mero:r?request_id=rq-1") == "CONSENT_RESULT_INVALID")
    fixture.node.decide("rq-1", .approved(outcome: nil))
    #expect(await met("mero:r?request_id=rq-1") == "CONSENT_RESULT_INVALID")
    fixture.node.decide("rq-1", .gone)
    #expect(await met("mero:r?request_id=rq-1") == "CONSENT_REPLACED")
    #expect(try await fixture.row("rq-1", caller)?.state == .replaced)
    // From the record now.
    let reads = fixture.node.reads(of: "rq-1")
    #expect(await met("mero:r?request_id=rq-1") == "CONSENT_REPLACED")
    #expect(fixture.node.reads(of: "rq-1") == reads)
    #expect(
      await refusal {
        try await fixture.broker.confirm("rq-9", returned: "mero:r?request_id=rq-9", for: caller)
      } == "notFound")
  }

  @Test func theFirstReturnAfterTheWatcherIsNotedWithoutAnEvent() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let ticket = try fixture.ticket(of: view)
    fixture.node.approve("rq-1")
    // Decided without a return.
    _ = try await fixture.broker.wait(
      for: "rq-1", changedFrom: view.etag, until: .now + .seconds(60), for: caller)
    let decided = try await fixture.broker.get("rq-1", for: caller)
    #expect(decided.state == .approved)
    #expect(decided.lastReturn == nil)
    #expect(await fixture.page(ticket, "request_id=rq-1") == .approved)
    let result = try await fixture.broker.wait(
      for: "rq-1", changedFrom: decided.etag, until: .now + .seconds(60), for: caller)
    guard case .changed(let noted) = result else {
      Issue.record("not noted")
      return
    }
    #expect(noted.lastReturn?.code == "OK")
    #expect(try await fixture.events(caller).map(\.state) == [.started, .approved])
  }

  @Test func knockingWritesLittle() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    let began = BootInstant.now
    for _ in 1...100 { _ = await fixture.page(ticket, "request_id=other") }
    // The start, the first of them, and one for each interval that has passed.
    let most = 2 + Int((BootInstant.now - began) / Broker.knockInterval)
    #expect(try await fixture.events(caller).count <= most)
  }

  @Test func aNodeThatHangsIsNotConfirmed() async throws {
    // C-027: the page comes within 10 s.
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    fixture.node.holdCalls()
    guard
      case .done(let page) = await fixture.broker.callback(
        ticket: ticket, rawQuery: "request_id=rq-1")
    else {
      Issue.record("no page")
      return
    }
    #expect(
      await fixture.broker.page(ticket: page, until: .now + .milliseconds(50)) == .checking)
    #expect(
      await fixture.broker.page(ticket: page, until: .now + .seconds(60)) == .notConfirmed)
    #expect(ViewTickets.Limits.checking < .seconds(10))
    fixture.node.approve("rq-1")
    fixture.node.release()
    #expect(try await fixture.end(caller, from: "", within: .seconds(60))?.state == .approved)
    #expect(await fixture.broker.page(ticket: page, until: .now) == .approved)
  }
}
