import Callback
import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime, .enabled(if: SmallDisk.isAvailable, SmallDisk.unavailable))
struct DurabilityTests {
  /// Takes all room, also what the log has left.
  private func fill(_ disk: borrowing SmallDisk, _ ledger: Ledger) async throws {
    try disk.fill()
    for number in 0..<3000 {
      do {
        _ = try await ledger.insert(Sample.starting("filler-\(number)", session: "nobody"))
      } catch { return }
    }
  }

  @Test func nobodyHearsOfAVerdictThatIsNotOnTheDisk() async throws {
    // C-127, with the rule that a verdict is durable first.
    let disk = try SmallDisk(kilobytes: 1024)
    let fixture = try await BrokerFixture(at: disk.path)
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let ticket = try fixture.ticket(of: view)
    let stream = try fixture.broker.events(after: nil, for: caller)
    try await fill(disk, fixture.ledger)
    fixture.node.approve("rq-1")
    #expect(await fixture.page(ticket, "request_id=rq-1") == .notConfirmed)
    #expect(
      await refusal {
        try await fixture.broker.confirm("rq-1", returned: "a:b?request_id=rq-1", for: caller)
      } == "STATE_UNAVAILABLE")
    // Its app learns why it waits.
    let held = try await fixture.broker.get("rq-1", for: caller)
    #expect(held.state == .started && !held.isRecorded && held.etag != view.etag)
    #expect(held.detail?.contains("ENOSPC") == true)
    #expect(fixture.broker.status().unwritten == 1 && !fixture.broker.isIdle)
    if case .event = await stream.next(until: .now + .milliseconds(100)) {
      Issue.record("an event of what is not written")
    }
    #expect(fixture.broker.status().state == .readOnly)
    // Nothing new is taken, and no browser opens.
    #expect(
      await refusal {
        try await fixture.broker.start(
          .createOrg(name: "x"), open: true, idempotencyKey: nil, for: caller)
      } == "STATE_UNAVAILABLE")
    #expect(fixture.opened == [])
    #expect(fixture.node.starts == 1)
    // The node is not asked again for what it has said.
    let reads = fixture.node.reads(of: "rq-1")
    try disk.free()
    let seen = try await fixture.wait(caller, from: held.etag, for: .seconds(60))
    #expect(seen?.state == .approved && seen?.isRecorded == true)
    #expect(seen?.outcome == .orgCreated(orgId: "org-rq-1"))
    #expect(fixture.node.reads(of: "rq-1") == reads)
    #expect(await fixture.broker.mending.now())
    #expect(fixture.broker.status().state == .ok, "\(fixture.broker.obstacle ?? "")")
    #expect(fixture.records.text.contains("ENOSPC"))
    await fixture.broker.close()
  }
}

@LoopActor @Suite(.aFewAtATime) struct UnavailableTests {
  @Test func aBrokerThatCannotWorkSaysWhy() async throws {
    let error = ConsentError(.configurationInvalid, advice: "f:3: unknown key Colour")
    let broker = Broker(
      unavailable: error, settings: BrokerSettings(version: "1"),
      tools: BrokerTools { _, _ throws(PageUnavailable) in .unknown }, log: Log(level: .error))
    #expect(await refusal { try broker.authenticate(key: "x") } == "CONFIGURATION_INVALID")
    #expect(
      await refusal { try broker.accept(returned: "a:b?request_id=x") } == "CONFIGURATION_INVALID")
    #expect(await broker.callback(ticket: nil, rawQuery: nil) == .unavailable)
    #expect(await broker.page(ticket: "x", until: .now) == .notConfirmed)
    #expect(broker.status().state == .unavailable)
    broker.stop()
    #expect(await refusal { try broker.authenticate(key: "x") } == "stopping")
  }
}
