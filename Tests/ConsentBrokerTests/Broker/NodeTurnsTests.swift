import Callback
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

/// How much waits for nodes that do not answer, whatever it is for.
@LoopActor @Suite(.aFewAtATime) struct NodeTurnsTests {
  private func confirm(
    _ fixture: BrokerFixture, _ id: String, _ caller: Caller
  ) -> Task<String?, Never> {
    Task.immediate {
      await refusal { try await fixture.broker.confirm(id, returned: "a:b", for: caller) }
    }
  }

  @Test func aSessionHasFewCallsUnderWayWhateverTheyAreFor() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    var ids: [String] = []
    for _ in 1...12 { ids.append(try await fixture.start(caller).requestId) }
    let session = try #require(fixture.broker.vault.session(id: caller.session))
    fixture.node.holdCalls()
    let before = fixture.node.calls.count
    // Of apps that have hung up, with a ticket, through the handler, and starts and checks.
    for id in ids {
      let call = confirm(fixture, id, caller)
      try fixture.broker.accept(returned: "mero:r?request_id=\(id)")
      call.cancel()
    }
    try fixture.broker.accept(returned: "mero:r")
    let starts = (1...12).map { number in
      Task.immediate { await refusal { try await fixture.start(caller, name: "n\(number)") } }
    }
    let check = Task.immediate { await refusal { try await fixture.broker.check(caller) } }
    try await LoopActor.until { session.turns.underWay + session.turns.inLine == 25 }
    #expect(session.turns.underWay == NodeTurns.Limits.ofASession)
    try await LoopActor.until { fixture.node.calls.count == before + NodeTurns.Limits.ofASession }
    // Another one has its turn.
    let (other, _) = try await fixture.openSession()
    let started = Task.immediate { await refusal { try await fixture.start(other) } }
    let most = before + NodeTurns.Limits.ofASession
    try await LoopActor.until { fixture.node.calls.count == most + 1 }
    fixture.node.release()
    #expect(await started.value == nil)
    for start in starts { #expect(await start.value == nil) }
    #expect(await check.value == nil)
    try await LoopActor.until { fixture.broker.nodeTurns.underWay == 0 && !session.turns.isWaiting }
  }

  @Test func allSessionsTogetherHaveOnlySoManyCallsUnderWay() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    var theirs: [(id: String, caller: Caller)] = []
    let sessions = 48
    for _ in 1...sessions {
      let (caller, _) = try await fixture.openSession()
      for _ in 1...NodeTurns.Limits.ofASession {
        theirs.append((try await fixture.start(caller).requestId, caller))
      }
    }
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    fixture.node.holdCalls()
    for one in theirs { try fixture.broker.accept(returned: "mero:r?request_id=\(one.id)") }
    #expect(fixture.broker.judgingsUnderWay == theirs.count)
    // One for each session, and the common ones.
    let most = sessions + NodeTurns.Limits.common
    #expect(most < theirs.count)
    #expect(fixture.broker.nodeTurns.underWay == most)
    // Each session has one, whatever others do.
    let mine = try #require(fixture.broker.live.of(ticket: ticket))
    let back = await fixture.broker.callback(ticket: ticket, rawQuery: nil)
    #expect(back == .done(ticket: ticket))
    try await LoopActor.until { fixture.node.reads(of: mine.row.requestId) == 1 }
    #expect(fixture.broker.nodeTurns.underWay == most + 1)
    fixture.node.release()
    try await LoopActor.until { fixture.broker.judgingsUnderWay == 0 }
    #expect(fixture.broker.nodeTurns.underWay == 0)
    for one in theirs { #expect(fixture.node.reads(of: one.id) == 1) }
  }

  /// What nobody waits for leaves room for the person.
  @Test func theWatcherLeavesRoomForReturns() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    for _ in 1...20 { _ = try await fixture.start(caller) }
    fixture.node.holdCalls()
    let session = try #require(fixture.broker.vault.session(id: caller.session))
    try await LoopActor.until { session.turns.underWay + session.turns.inLine == 20 }
    let last = try #require(fixture.broker.live.all.last { $0.turn.isWaiting })
    let reads = fixture.node.reads(of: last.row.requestId)
    _ = await fixture.broker.callback(ticket: last.row.ticket, rawQuery: nil)
    try await LoopActor.until { fixture.node.reads(of: last.row.requestId) == reads + 1 }
    // It is the same turn that the watcher had waited for.
    #expect(session.turns.underWay + session.turns.inLine == 20)
    fixture.node.release()
    #expect(
      await fixture.broker.page(ticket: last.row.ticket, until: .now + .seconds(60)) == .notDecided)
  }

  @Test func whatHasEndedIsReadNoLonger() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    var ids: [String] = []
    for _ in 1...9 { ids.append(try await fixture.start(caller).requestId) }
    fixture.node.holdCalls()
    let calls = ids.map { confirm(fixture, $0, caller) }
    try await LoopActor.until { fixture.broker.judgingsUnderWay == 9 }
    await fixture.node.arrival()
    // The node has answered nothing. First the one that has no turn, and waits for none any more.
    for (id, call) in zip(ids, calls).reversed() {
      _ = try await fixture.broker.cancel(id, for: caller)
      #expect(try await LoopActor.end { await call.value } == "CONSENT_CANCELLED")
    }
    try await LoopActor.until { fixture.broker.nodeTurns.underWay == 0 }
    #expect(fixture.broker.readsUnderWay == 0)
    #expect(fixture.broker.judgingsUnderWay == 0)
    fixture.node.release()
  }

  /// An outcome that memory has lost is read for whoever asks, and for nobody who has left.
  @Test func whatNobodyWaitsForAnyMoreIsReadNoLonger() async throws {
    let fixture = try await BrokerFixture()
    let (caller, key) = try await fixture.openSession()
    let view = try await fixture.broker.start(
      .createInvite(org: "o"), open: false, idempotencyKey: nil, for: caller
    ).view
    let outcome = #"{"kind":"inviteCreated","token":"t"}"#
    fixture.node.decide("rq-1", .approved(outcome: outcome))
    #expect(await fixture.page(try fixture.ticket(of: view), "request_id=rq-1") == .approved)
    try await fixture.restart()
    let again = try fixture.broker.authenticate(key: key)
    _ = try await fixture.broker.replaceTokens(
      of: again, with: SessionTokens(accessToken: "new-token"))
    fixture.node.holdCalls()
    let gets = (1...3).map { _ in Task { try await fixture.broker.get("rq-1", for: again) } }
    await fixture.node.arrival()
    gets[0].cancel()
    #expect(try await gets[0].value.outcome == nil)
    #expect(fixture.broker.nodeTurns.underWay == 1)
    for get in gets { get.cancel() }
    for get in gets { _ = try await get.value }
    try await LoopActor.until { fixture.broker.nodeTurns.underWay == 0 }
    #expect(fixture.broker.rereads.isEmpty)
    fixture.node.release()
    #expect(try await fixture.broker.get("rq-1", for: again).outcome != nil)
  }

  /// In line, a session may lose what it was trusted by and have that again.
  @Test func aStartAsksWithWhatItsSessionHasWhenItsTurnComes() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let session = try #require(fixture.broker.vault.session(id: caller.session))
    fixture.node.holdCalls()
    let starts = (1...8).map { _ in Task.immediate { try await fixture.start(caller) } }
    try await LoopActor.until { session.turns.underWay == 8 }
    let late = Task.immediate { try await fixture.start(caller) }
    try await LoopActor.until { session.turns.isWaiting }
    session.client = nil
    _ = try await fixture.broker.replaceTokens(of: caller, with: SessionTokens(accessToken: "new"))
    fixture.node.release()
    #expect(try await late.value.state == .started)
    for start in starts { #expect(try await start.value.state == .started) }
    #expect(fixture.node.bearers.count { $0 == "new" } == 1 && fixture.node.starts == 9)
  }

  /// What the node was asked may be there; what was in line certainly is not.
  @Test func aStopForgetsNoStartThatTheNodeWasAskedFor() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, key) = try await fixture.openSession()
    let session = try #require(fixture.broker.vault.session(id: caller.session))
    fixture.node.holdCalls()
    let starts = (1...9).map { number in
      Task.immediate {
        await refusal { try await fixture.start(caller, key: "k\(number)") }
      }
    }
    try await LoopActor.until { fixture.node.starts == 8 && session.turns.isWaiting }
    fixture.node.cutsWhenClosed = true
    try await fixture.restart()
    for start in starts { #expect(await start.value == "stopping") }
    #expect(fixture.node.starts == 8)
    let again = try fixture.broker.authenticate(key: key)
    let list = try await fixture.broker.list(state: nil, limit: 20, before: nil, for: again)
    #expect(list.requests.count == 8 && list.requests.allSatisfy { $0.state == .starting })
    #expect(list.requests.allSatisfy { $0.detail?.contains("Ask again") == true })
  }

  @Test func aCallThatHasNoTurnInTimeIsRefusedAndItsNodeIsNotAsked() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let session = try #require(fixture.broker.vault.session(id: caller.session))
    var settings = fixture.broker.settings
    settings.client.callLimit = .milliseconds(100)
    fixture.broker.apply(settings)
    fixture.node.holdCalls()
    let starts = (1...8).map { _ in
      Task.immediate { await refusal { try await fixture.start(caller) } }
    }
    try await LoopActor.until { session.turns.underWay == 8 }
    let late = try await LoopActor.end { await refusal { try await fixture.start(caller) } }
    #expect(late == "NODE_UNREACHABLE")
    #expect(!session.turns.isWaiting)
    #expect(fixture.node.starts == 8)
    fixture.node.release()
    for start in starts { #expect(await start.value == nil) }
    #expect(try await fixture.start(caller).state == .started)
  }
}
