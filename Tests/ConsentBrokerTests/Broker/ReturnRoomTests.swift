import Callback
import EventLoop
import MeroConsent
import Testing

@testable import ConsentBroker

/// How many returns wait for nodes that do not answer, and who is in whose way.
@LoopActor @Suite(.aFewAtATime) struct ReturnRoomTests {
  private func confirm(
    _ fixture: BrokerFixture, _ id: String, _ caller: Caller
  ) -> Task<String?, Never> {
    Task.immediate {
      await refusal { try await fixture.broker.confirm(id, returned: "a:b", for: caller) }
    }
  }

  @Test func onlySoManyCallsWaitForOneRequestAndForOneSession() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    var ids: [String] = []
    for _ in 1...5 { ids.append(try await fixture.start(caller).requestId) }
    fixture.node.holdCalls()
    var calls: [Task<String?, Never>] = []
    for id in ids.dropLast() {
      for _ in 1...BrokerLimits.returnCallsOfARequest { calls.append(confirm(fixture, id, caller)) }
    }
    let session = try #require(fixture.broker.live.of(requestId: ids[0]).first?.session)
    try await LoopActor.until { session.returnCalls == calls.count }
    // One too many for its session.
    #expect(calls.count == BrokerLimits.returnCalls)
    let tooMany = confirm(fixture, ids[4], caller)
    #expect(try await LoopActor.end { await tooMany.value } == "tooMany returns")
    // Two verdicts at most for each, however many wait.
    #expect(fixture.broker.judgingsUnderWay <= 2 * ids.count)
    // Who leaves makes room, though the node has not answered.
    for call in calls.prefix(BrokerLimits.returnCallsOfARequest) { call.cancel() }
    for call in calls.prefix(BrokerLimits.returnCallsOfARequest) {
      #expect(try await LoopActor.end { await call.value } == "stopping")
    }
    calls.append(confirm(fixture, ids[4], caller))
    for id in ids { fixture.node.approve(id) }
    fixture.node.release()
    for call in calls.dropFirst(BrokerLimits.returnCallsOfARequest) {
      #expect(await call.value == nil)
    }
    // The verdict of those who left is found all the same.
    while fixture.broker.judgingsUnderWay > 0 {
      try await LoopActor.sleep(for: .milliseconds(1))
    }
    #expect(try await fixture.broker.get(ids[0], for: caller).lastReturn?.code == "OK")
  }

  /// The room of its session is not what keeps it.
  @Test func aRequestHasOnlyAPartOfItsSessionsCalls() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ids = [
      try await fixture.start(caller).requestId, try await fixture.start(caller).requestId,
    ]
    fixture.node.holdCalls()
    let most = BrokerLimits.returnCallsOfARequest
    #expect(most + 4 < BrokerLimits.returnCalls)
    let calls = (1...most + 4).map { _ in confirm(fixture, ids[0], caller) }
    let other = confirm(fixture, ids[1], caller)
    let session = try #require(fixture.broker.live.of(requestId: ids[0]).first?.session)
    try await LoopActor.until { session.returnCalls > most }
    for id in ids { fixture.node.approve(id) }
    fixture.node.release()
    var met: [String?] = []
    for call in calls { met.append(await call.value) }
    #expect(met.count { $0 == nil } == most)
    #expect(met.count { $0 == "tooMany returns" } == 4)
    #expect(await other.value == nil)
  }

  /// The person comes back with a ticket: nobody's calls are in the way.
  @Test func aReturnWithATicketIsTakenWhateverOthersWaitFor() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (silent, _) = try await fixture.openSession()
    for number in 1...6 {
      _ = try await fixture.start(silent)
      fixture.node.approve("rq-\(number)")
    }
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    fixture.node.holdCalls()
    var calls: [Task<String?, Never>] = []
    for number in 1...6 {
      for _ in 1...60 { calls.append(confirm(fixture, "rq-\(number)", silent)) }
    }
    for _ in 1...500 {
      #expect(
        await fixture.broker.callback(ticket: ticket, rawQuery: "request_id=rq-7")
          == .done(ticket: ticket))
    }
    let session = try #require(fixture.broker.live.of(requestId: "rq-1").first?.session)
    try await LoopActor.until { session.returnCalls == BrokerLimits.returnCalls }
    #expect(fixture.broker.judgingsUnderWay <= 2 * 7)
    fixture.node.approve("rq-7")
    fixture.node.release()
    #expect(await fixture.broker.page(ticket: ticket, until: .now + .seconds(60)) == .approved)
    for call in calls { _ = await call.value }
  }

  /// A read that failed before a return came is no answer to it.
  @Test func aReturnIsNotAnsweredByAFailureFromBeforeIt() async throws {
    let fixture = try await BrokerFixture(keepsNotes: true)
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    fixture.node.holdCalls()
    fixture.node.isDown = true
    let disk = await HeldDisk(fixture.ledger)
    // The second comes while it is read for the first, and no other read has begun since.
    for _ in 1...2 {
      #expect(
        await fixture.broker.callback(ticket: ticket, rawQuery: "request_id=rq-1")
          == .done(ticket: ticket))
      await fixture.node.arrival()
    }
    fixture.node.release()
    // Its failure is on its way to the disk when the person comes back again.
    while request.refusal == nil { try await LoopActor.sleep(for: .milliseconds(1)) }
    fixture.node.isDown = false
    fixture.node.approve("rq-1")
    let again = confirm(fixture, "rq-1", caller)
    try await LoopActor.until { request.unwritten != nil }
    disk.release()
    #expect(await again.value == nil)
  }
}
