import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

/// What is on its way while its session ends: nothing of it stays that nothing would ever end.
@LoopActor @Suite(.aFewAtATime) struct ClosedSessionTests {
  enum Way: CaseIterable { case handOver, start }

  private func begin(_ way: Way, _ fixture: BrokerFixture, _ caller: Caller) async throws {
    switch way {
    case .start: _ = try await fixture.start(caller)
    case .handOver:
      let started = ConsentStarted(
        requestId: "own-1", url: "https://node.example/consent/own-1", code: "ABCD-EF",
        expiresAt: Date().addingTimeInterval(300), kind: .createOrg)
      _ = try await fixture.broker.record(started, open: false, idempotencyKey: nil, for: caller)
    }
  }

  private func undecidedRows(_ fixture: BrokerFixture) async throws -> Int64? {
    try await fixture.ledger.read { connection throws(LedgerError) in
      try connection.query("SELECT count(*) FROM requests WHERE finished_at IS NULL") {
        $0.integer(0)
      }.first
    }
  }

  /// The end is on its way to the disk when the request comes.
  @Test(arguments: Way.allCases)
  func whatComesBehindTheEndIsRefused(_ way: Way) async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let disk = await HeldDisk(fixture.ledger)
    let end = Task.immediate { try await fixture.broker.closeSession(of: caller) }
    let beginning = Task.immediate {
      await refusal { try await begin(way, fixture, caller) }
    }
    await LoopActor.drain()
    disk.release()
    try await end.value
    #expect(await beginning.value == "no session")
    #expect(fixture.broker.live.count == 0 && fixture.broker.isIdle)
    #expect(try await undecidedRows(fixture) == 0)
    #expect(fixture.node.starts == 0)
  }

  /// The request is on its way to the disk when the end comes.
  @Test(arguments: Way.allCases)
  func whatIsInFrontOfTheEndIsCancelled(_ way: Way) async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let disk = await HeldDisk(fixture.ledger)
    let beginning = Task.immediate {
      await refusal { try await begin(way, fixture, caller) }
    }
    await LoopActor.drain()
    let end = Task.immediate { try await fixture.broker.closeSession(of: caller) }
    disk.release()
    try await end.value
    // What was handed over had begun, and then it was cancelled.
    let met = await beginning.value
    #expect(met == nil || met == "CONSENT_CANCELLED")
    #expect(fixture.broker.live.count == 0 && fixture.broker.isIdle)
    #expect(try await undecidedRows(fixture) == 0)
  }

  /// Whoever ends the session is heard before the record's answer is.
  @Test func whatWasWrittenForAClosedSessionIsCancelled() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let session = try #require(fixture.broker.vault.session(id: caller.session))
    let disk = await HeldDisk(fixture.ledger)
    let beginning = Task.immediate {
      await refusal { try await begin(.handOver, fixture, caller) }
    }
    await LoopActor.drain()
    fixture.broker.vault.remove(session)
    disk.release()
    #expect(await beginning.value == "CONSENT_CANCELLED")
    #expect(fixture.broker.live.count == 0)
    #expect(try await fixture.row("own-1", caller)?.state == .cancelled)
  }

  /// As a former version left them. One that waits for a person's decision stays.
  @Test(arguments: ["UPDATE sessions SET ended_at = 1", "DELETE FROM sessions"])
  func aStartCancelsWhatEndedSessionsHaveLeft(_ end: String) async throws {
    let fixture = try await BrokerFixture()
    let (left, _) = try await fixture.openSession()
    let (open, key) = try await fixture.openSession()
    let view = try await fixture.start(left)
    _ = try await fixture.start(open)
    let (ended, many) = (left.session, 2 * SessionTable.rowsPerStep + 1)
    try await fixture.ledger.write { connection throws(LedgerError) in
      try connection.run("\(end) WHERE id = ?", [.text(ended)])
      try connection.run(
        """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
          INSERT INTO requests (session, request_id, ticket, kind, state, revision, created_at)
          SELECT ?, 'left-' || n, 'ticket-' || n, 'createOrg', 'started', 1, 1 FROM numbers
        """, [.integer(Int64(many)), .text(ended)])
    }
    try await fixture.replaceKilled()
    let row = try #require(try await fixture.row(view.requestId, left))
    #expect(row.state == .cancelled && row.finishedAt != nil && row.detail != nil)
    #expect(try await undecidedRows(fixture) == 1)
    #expect(fixture.broker.live.count == 1)
    let again = try fixture.broker.authenticate(key: key)
    #expect(try await fixture.broker.get("rq-2", for: again).state == .started)
    #expect(fixture.records.text.contains("\(many + 1) undecided requests"))
  }
}
