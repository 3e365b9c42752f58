import Callback
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

/// Returns that come at the very moment at which something else ends their request.
@LoopActor @Suite(.aFewAtATime) struct ReturnAtTheEndTests {
  enum Door: CaseIterable { case handler, ticket, bare, app }

  /// A request that the watcher has read as approved, and whose end waits for the disk.
  private func ending() async throws -> (BrokerFixture, Caller, RequestView, HeldDisk) {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let disk = await HeldDisk(fixture.ledger)
    fixture.node.approve("rq-1")
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    while request.unwritten == nil { try await LoopActor.sleep(for: .milliseconds(1)) }
    return (fixture, caller, view, disk)
  }

  /// The request once a return is noted on it.
  private func noted(
    _ fixture: BrokerFixture, _ caller: Caller, from etag: String
  ) async throws -> RequestView {
    var view = try await fixture.broker.get("rq-1", for: caller)
    let deadline = BootInstant.now + .seconds(60)
    while view.lastReturn == nil || !view.state.isFinal, BootInstant.now < deadline {
      _ = try await fixture.broker.wait(
        for: "rq-1", changedFrom: view.etag, until: deadline, for: caller)
      view = try await fixture.broker.get("rq-1", for: caller)
    }
    return view
  }

  @Test(arguments: Door.allCases)
  func itIsNotedAlthoughTheEndWasOnItsWayToTheDisk(_ door: Door) async throws {
    let (fixture, caller, view, disk) = try await ending()
    let ticket = try fixture.ticket(of: view)
    let reads = fixture.node.reads(of: "rq-1")
    var told: Task<RequestView, any Error>?
    switch door {
    case .handler: try fixture.broker.accept(returned: "mero:r?request_id=rq-1&result=approved")
    case .ticket: _ = await fixture.broker.callback(ticket: ticket, rawQuery: "request_id=rq-1")
    case .bare: _ = await fixture.broker.callback(ticket: nil, rawQuery: "request_id=rq-1")
    case .app:
      told = Task {
        try await fixture.broker.confirm("rq-1", returned: "mero:r?request_id=rq-1", for: caller)
      }
    }
    while fixture.broker.judgingsUnderWay == 0 {
      try await LoopActor.sleep(for: .milliseconds(1))
    }
    disk.release()
    let seen = try await noted(fixture, caller, from: view.etag)
    #expect(seen.state == .approved)
    #expect(seen.lastReturn?.code == "OK")
    if let told { #expect(try await told.value.lastReturn?.code == "OK") }
    #expect(fixture.node.reads(of: "rq-1") == reads)
    // The end was told once.
    #expect(try await fixture.events(caller).map(\.state) == [.started, .approved])
  }

  @Test func aReturnThatWasTooEarlyAndOneThatCameLate() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let ticket = try fixture.ticket(of: view)
    #expect(await fixture.page(ticket, "request_id=rq-1") == .notDecided)
    fixture.node.approve("rq-1")
    var seen = try await fixture.broker.get("rq-1", for: caller)
    while !seen.state.isFinal {
      _ = try await fixture.broker.wait(
        for: "rq-1", changedFrom: seen.etag, until: .now + .seconds(60), for: caller)
      seen = try await fixture.broker.get("rq-1", for: caller)
    }
    // The watcher brought the end, so this is still the only return.
    #expect(seen.lastReturn?.code == "CONSENT_NOT_DECIDED")
    #expect(await fixture.page(ticket, "request_id=rq-1") == .approved)
    // The page was shown from the record; the note is the same return's.
    seen = try await fixture.broker.get("rq-1", for: caller)
    #expect(seen.lastReturn?.code == "OK")
    // Further ones write nothing.
    let revision = try await fixture.row("rq-1", caller)?.revision
    #expect(await fixture.page(ticket, "request_id=rq-1") == .approved)
    #expect(try await fixture.row("rq-1", caller)?.revision == revision)
  }

  @Test func itIsNotedAlthoughTheAppCancelsAtThatMoment() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    fixture.node.holdAnswers()
    try fixture.broker.accept(returned: "mero:r?request_id=rq-1")
    await fixture.node.arrival()
    let disk = await HeldDisk(fixture.ledger)
    // First the end of the app's, then the refusal, wait for the disk.
    let cancelled = Task.immediate { try await fixture.broker.cancel("rq-1", for: caller) }
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    fixture.node.release()
    while request.refusal == nil { try await LoopActor.sleep(for: .milliseconds(1)) }
    disk.release()
    #expect(try await cancelled.value.state == .cancelled)
    let seen = try await noted(fixture, caller, from: view.etag)
    #expect(seen.state == .cancelled)
    #expect(seen.lastReturn?.code == "CONSENT_CANCELLED")
  }

  @Test func itIsNotedAlthoughNobodyHasHeardOfTheEndYet() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    // It is on the disk, and whoever has put it there is not back.
    _ = try await fixture.ledger.finish(
      request.number, RequestEnding(state: .cancelled, at: Date()))
    let ticket = try fixture.ticket(of: view)
    #expect(await fixture.page(ticket, "request_id=rq-1") == .notDecided)
    while fixture.broker.judgingsUnderWay > 0 {
      try await LoopActor.sleep(for: .milliseconds(1))
    }
    #expect(try await fixture.row("rq-1", caller)?.lastReturn?.code == "CONSENT_CANCELLED")
  }
}
