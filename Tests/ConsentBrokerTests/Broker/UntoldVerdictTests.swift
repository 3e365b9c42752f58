import EventLoop
import MeroConsent
import Testing

@testable import ConsentBroker

/// A verdict that neither the disk nor the runtime directory takes.
@LoopActor @Suite(.aFewAtATime) struct UntoldVerdictTests {
  @Test func whatIsNowhereKeptIsNotTold() async throws {
    let fixture = try await BrokerFixture(keepsNotes: true)
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    fixture.watchNothing()
    try await fixture.ledger.refuseApprovals()
    // Where the directory of notes would be.
    let inTheWay = fixture.directory.path + "/unwritten"
    try write("", to: inTheWay)
    fixture.node.approve("rq-1")
    let met = await refusal {
      try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller)
    }
    #expect(met == "STATE_UNAVAILABLE")
    let held = try await fixture.broker.get("rq-1", for: caller)
    #expect(held.state == .started && !held.isRecorded && held.etag != view.etag)
    #expect(fixture.finished == [])
    #expect(fixture.records.text.contains("cannot keep a verdict in"))
    // The next try tells it, as soon as one of the two takes it. One that is under way may have met
    // what was in the way.
    try Files.unlink(inTheWay)
    try await LoopActor.until {
      #expect(await !fixture.broker.mending.now())
      return try await fixture.broker.get("rq-1", for: caller).state == .approved
    }
    #expect(fixture.finished == ["createOrg approved"])
  }

  /// Also where there seems to be room for it: what was told has the first right to that.
  @Test func nothingNewIsBegunBeforeItIsWritten() async throws {
    let fixture = try await BrokerFixture(keepsNotes: true)
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.watchNothing()
    try await fixture.ledger.refuseApprovals()
    fixture.node.approve("rq-1")
    _ = try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller)
    #expect(
      await refusal { try await fixture.start(caller, name: "Next") } == "STATE_UNAVAILABLE")
    #expect(fixture.node.starts == 1 && fixture.broker.status().unwritten == 1)
    try await fixture.ledger.takeApprovals()
    // A try that is under way may have begun before.
    try await LoopActor.until { await fixture.broker.mending.now() }
    _ = try await fixture.start(caller, name: "Next")
    #expect(try await fixture.row("rq-1", caller)?.state == .approved)
    #expect(fixture.broker.status().unwritten == 0)
  }
}
