import Callback
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct RecentRequestTests {
  /// An approved request that its app has seen.
  private func approved(
    _ fixture: BrokerFixture
  ) async throws -> (caller: Caller, key: String, ticket: String) {
    let (caller, key) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    fixture.node.approve("rq-1")
    #expect(await fixture.page(ticket, "request_id=rq-1") == .approved)
    #expect(try await fixture.broker.get("rq-1", for: caller).state == .approved)
    return (caller, key, ticket)
  }

  @Test func whatEndedInThisRunIsAnsweredWithoutTheLedger() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _, ticket) = try await approved(fixture)
    let before = try await fixture.broker.get("rq-1", for: caller)
    await fixture.ledger.close()
    let after = try await fixture.broker.get("rq-1", for: caller)
    #expect(after.etag == before.etag)
    #expect(after.outcome == .orgCreated(orgId: "org-rq-1"))
    #expect(await fixture.broker.page(ticket: ticket, until: .now) == .approved)
    #expect(await refusal { try await fixture.broker.get("rq-2", for: caller) } != "notFound")
  }

  @Test func whatWasReadOnceIsAnsweredWithoutTheLedger() async throws {
    let fixture = try await BrokerFixture()
    let (_, key, ticket) = try await approved(fixture)
    try await fixture.restart()
    let caller = try fixture.broker.authenticate(key: key)
    // What housekeeping may have removed meanwhile is not kept, and it has its round at the start.
    var before = try await fixture.broker.get("rq-1", for: caller)
    for _ in 1...1000 where fixture.broker.recent.count == 0 {
      before = try await fixture.broker.get("rq-1", for: caller)
    }
    await fixture.ledger.close()
    let after = try await fixture.broker.get("rq-1", for: caller)
    #expect(after.etag == before.etag)
    #expect(after.outcome == before.outcome)
    #expect(await fixture.broker.page(ticket: ticket, until: .now) == .approved)
  }

  @Test func anUndecidedRequestIsNotTakenForAFinishedOne() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    _ = try await fixture.broker.get("rq-1", for: caller)
    #expect(fixture.broker.recent.count == 0)
    #expect(try await fixture.broker.cancel("rq-1", for: caller).state == .cancelled)
    #expect(try await fixture.broker.get("rq-1", for: caller).state == .cancelled)
  }

  @Test func aReturnThatIsNotedLaterIsSeen() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    _ = try await fixture.broker.cancel("rq-1", for: caller)
    let before = try await fixture.broker.get("rq-1", for: caller)
    #expect(before.lastReturn == nil)
    _ = await refusal {
      try await fixture.broker.confirm("rq-1", returned: "a:/?request_id=rq-1", for: caller)
    }
    let after = try await fixture.broker.get("rq-1", for: caller)
    #expect(after.lastReturn?.code == "CONSENT_CANCELLED")
    #expect(after.etag != before.etag)
  }

  @Test func everybodyWhoAsksSharesOneViewUntilItLooksDifferent() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _, _) = try await approved(fixture)
    let view = try fixture.broker.liveView("rq-1", for: caller)
    #expect(view != nil)
    #expect(try fixture.broker.liveView("rq-1", for: caller) === view)
    #expect(view?.view.outcome == .orgCreated(orgId: "org-rq-1"))
    fixture.broker.callback = nil
    let other = try fixture.broker.liveView("rq-1", for: caller)
    #expect(other !== view)
    #expect(other?.view.callback == nil)
    #expect(other?.view.etag != view?.view.etag)
  }

  @Test func whatTheLedgerForgetsIsForgotten() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _, ticket) = try await approved(fixture)
    fixture.wallClock.seconds = 31 * 86_400
    await fixture.broker.housekeeping.removeOld(of: fixture.broker, at: fixture.broker.tools.now())
    #expect(fixture.broker.recent.count == 0)
    #expect(await refusal { try await fixture.broker.get("rq-1", for: caller) } == "notFound")
    #expect(await fixture.broker.page(ticket: ticket, until: .now) == .unknown)
  }

  @Test func aClosedSessionLeavesNothing() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _, _) = try await approved(fixture)
    #expect(fixture.broker.recent.count == 1)
    try await fixture.broker.closeSession(of: caller)
    #expect(fixture.broker.recent.count == 0)
  }

  @Test func anotherSessionsRequestIsNotFound() async throws {
    let fixture = try await BrokerFixture()
    _ = try await approved(fixture)
    let (other, _) = try await fixture.openSession()
    #expect(await refusal { try await fixture.broker.get("rq-1", for: other) } == "notFound")
  }

  /// An invite token is a secret of its session's, and never part of what is kept here.
  @Test func noTokenIsKept() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.broker.start(
      .createInvite(org: "o"), open: false, idempotencyKey: nil, for: caller
    ).view
    fixture.node.decide(
      "rq-1", .approved(outcome: #"{"kind":"inviteCreated","token":"invite-token-secret"}"#))
    #expect(await fixture.page(try fixture.ticket(of: view), "request_id=rq-1") == .approved)
    let kept = fixture.broker.recent.row("rq-1", of: caller.session)
    let row = try #require(kept)
    // Nor in what everybody shares who asks.
    #expect(try fixture.broker.liveView("rq-1", for: caller) == nil)
    #expect(row.outcome == nil)
    #expect(!String(reflecting: row).contains("invite-token-secret"))
  }

  // MARK: The room itself

  private func finished(_ name: String, revision: Int64 = 1) -> RequestRow {
    var row = Sample.starting(name)
    (row.requestId, row.state, row.revision) = (name, .approved, revision)
    row.finishedAt = Sample.time
    return row
  }

  @Test func whatWasUsedLastStays() {
    var recent = RecentRequests()
    for number in 1...RecentRequests.most { recent.keep(finished("\(number)")) }
    #expect(recent.row("1", of: "s_one") != nil)
    recent.keep(finished("new"))
    #expect(recent.count == RecentRequests.most)
    #expect(recent.row("1", of: "s_one") != nil)
    #expect(recent.row("2", of: "s_one") == nil)
    #expect(recent.row(ticket: "ticket-s_one-2") == nil)
    #expect(recent.row(ticket: "ticket-s_one-new")?.requestId == "new")
  }

  /// A read of the ledger that began before a change, or during it, may have seen what was before.
  @Test func aReadFromBeforeAChangeKeepsNothing() {
    var recent = RecentRequests()
    let before = recent.now
    recent.willChange()
    let during = recent.now
    recent.didChange(to: finished("1", revision: 2))
    recent.keep(finished("1", revision: 1), readAt: before)
    recent.keep(finished("1", revision: 1), readAt: during)
    #expect(recent.row("1", of: "s_one")?.revision == 2)
    recent.keep(finished("2"), readAt: recent.now)
    #expect(recent.row("2", of: "s_one") != nil)
  }

  @Test func anOlderRowChangesNothing() {
    var recent = RecentRequests()
    recent.keep(finished("1", revision: 3))
    recent.keep(finished("1", revision: 2))
    #expect(recent.row("1", of: "s_one")?.revision == 3)
    recent.keep(finished("1", revision: 4))
    #expect(recent.row("1", of: "s_one")?.revision == 4)
  }

  @Test func aReadFromBeforeARemovalKeepsNothing() {
    var recent = RecentRequests()
    let before = recent.now
    recent.forget(finishedBefore: Sample.time.addingTimeInterval(1))
    recent.keep(finished("1"), readAt: before)
    #expect(recent.count == 0)
    recent.keep(finished("1"))
    recent.forget(finishedBefore: Sample.time)
    #expect(recent.count == 1)
  }
}
