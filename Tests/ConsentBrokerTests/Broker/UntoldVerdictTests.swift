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

  /// A node may tell a MiB for each, and the disk may be full for days.
  @Test func longOutcomesThatWaitForTheDiskHaveOnlySoManyBytes() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    for _ in 1...7 { _ = try await fixture.start(caller) }
    try await fixture.ledger.refuseApprovals()
    let name = String(repeating: "n", count: 1024 * 1000)
    let outcome = #"{"kind":"orgCreated","orgId":"\#(name)"}"#
    let ids = (1...6).map { "rq-\($0)" }
    for id in ids {
      fixture.node.decide(id, .approved(outcome: outcome))
      #expect(
        await refusal { try await fixture.broker.confirm(id, returned: "a:b", for: caller) }
          == "STATE_UNAVAILABLE")
    }
    #expect(fixture.broker.live.unwritten.count == 4)
    #expect(fixture.broker.live.unwrittenBytes <= BrokerLimits.unwrittenOutcomes)
    // An ordinary one waits all the same.
    fixture.node.approve("rq-7")
    _ = await refusal { try await fixture.broker.confirm("rq-7", returned: "a:b", for: caller) }
    #expect(fixture.broker.live.unwritten.count == 5)
    // What was not kept is read from the node again, as soon as the disk takes it.
    try await fixture.ledger.takeApprovals()
    try await LoopActor.until { await fixture.broker.mending.now() }
    for id in ids + ["rq-7"] {
      try await LoopActor.until {
        try await fixture.row(id, caller)?.state == .approved
      }
    }
    #expect(try await fixture.row("rq-6", caller)?.outcome?.byteCount ?? 0 > name.utf8.count)
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
