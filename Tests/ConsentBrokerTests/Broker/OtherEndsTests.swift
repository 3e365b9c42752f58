import EventLoop
import MeroConsent
import Testing

@testable import ConsentBroker

/// A verdict that the disk does not take, while another end of its request is on the way there.
@LoopActor @Suite(.aFewAtATime) struct OtherEndsTests {
  enum Way: CaseIterable { case cancel, closeSession }

  /// The disk refuses the verdict and takes the other end, both in one commit.
  @Test(arguments: Way.allCases)
  func ofTwoEndsOneIsTold(_ way: Way) async throws {
    let fixture = try await BrokerFixture(keepsNotes: true)
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    fixture.watchNothing()
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    try await fixture.ledger.refuseApprovals()
    let stream = try fixture.broker.events(after: nil, for: caller)
    let disk = await HeldDisk(fixture.ledger)
    fixture.node.approve("rq-1")
    let ticket = try fixture.ticket(of: view)
    _ = await fixture.broker.callback(ticket: ticket, rawQuery: "request_id=rq-1")
    while request.unwritten == nil { try await LoopActor.sleep(for: .milliseconds(1)) }
    let other = Task.immediate {
      switch way {
      case .cancel: _ = try await fixture.broker.cancel("rq-1", for: caller)
      case .closeSession: try await fixture.broker.closeSession(of: caller)
      }
    }
    disk.release()
    try await other.value
    var told: [RequestState] = []
    while case .event(let event) = await stream.next(until: .now) { told.append(event.state) }
    #expect(told == [.cancelled])
    #expect(try await fixture.row("rq-1", caller)?.state == .cancelled)
    #expect(fixture.finished == ["createOrg cancelled"])
  }

  /// The disk takes everything again, and nobody has tried since.
  @Test func whatWasToldIsWrittenBeforeItsSessionEnds() async throws {
    let fixture = try await BrokerFixture(keepsNotes: true)
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.watchNothing()
    try await fixture.ledger.refuseApprovals()
    fixture.node.approve("rq-1")
    let told = try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller)
    #expect(told.state == .approved && !told.isRecorded)
    fixture.broker.mending.stop()
    // Nor does it end before.
    #expect(
      await refusal { try await fixture.broker.closeSession(of: caller) } == "STATE_UNAVAILABLE")
    try await fixture.ledger.takeApprovals()
    try await fixture.broker.closeSession(of: caller)
    #expect(try await fixture.row("rq-1", caller)?.state == .approved)
    #expect(fixture.finished == ["createOrg approved"])
  }

  /// Two wishes to close a session: the first fails, which says nothing of the second.
  @Test func anEndThatFailsHidesNoOther() async throws {
    let fixture = try await BrokerFixture(keepsNotes: true)
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    fixture.watchNothing()
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    try await fixture.ledger.write { connection throws(LedgerError) in
      try connection.execute(
        """
        CREATE TEMP TRIGGER refuse BEFORE UPDATE ON main.requests
          WHEN new.state = 'approved' OR new.detail = 'first'
          BEGIN SELECT raise(ABORT, 'no room for this one'); END
        """)
    }
    let stream = try fixture.broker.events(after: nil, for: caller)
    let disk = await HeldDisk(fixture.ledger)
    let session = request.session
    let first = Task.immediate {
      await refusal { try await fixture.broker.end(session, because: "first") }
    }
    fixture.node.approve("rq-1")
    let ticket = try fixture.ticket(of: view)
    _ = await fixture.broker.callback(ticket: ticket, rawQuery: "request_id=rq-1")
    while request.unwritten == nil { try await LoopActor.sleep(for: .milliseconds(1)) }
    // The second is on its way when the first and the verdict fail together, and written after them.
    let ledger = fixture.ledger
    let holding = Task.immediate { await HeldDisk(ledger) }
    disk.release()
    let again = await holding.value
    let second = Task.immediate { try await fixture.broker.end(session, because: "second") }
    again.release()
    #expect(await first.value == "STATE_UNAVAILABLE")
    try await second.value
    var told: [RequestState] = []
    while case .event(let event) = await stream.next(until: .now) { told.append(event.state) }
    #expect(told == [.cancelled])
    #expect(try await fixture.row("rq-1", caller)?.state == .cancelled)
    #expect(fixture.finished == ["createOrg cancelled"])
  }

  /// Nobody is told of a request that has ended as if it had not.
  @Test func aReturnThatMeetsAnEndIsAnsweredByIt() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.watchNothing()
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    let disk = await HeldDisk(fixture.ledger)
    let number = request.number
    let ended = Task.immediate {
      // Whoever did it does not tell.
      try await fixture.ledger.finish(
        number, RequestEnding(state: .cancelled, at: fixture.broker.tools.now()))
    }
    fixture.node.approve("rq-1")
    let met = Task.immediate {
      await refusal { try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller) }
    }
    while request.unwritten == nil { try await LoopActor.sleep(for: .milliseconds(1)) }
    disk.release()
    _ = try await ended.value
    #expect(await met.value == "CONSENT_CANCELLED")
  }
}
