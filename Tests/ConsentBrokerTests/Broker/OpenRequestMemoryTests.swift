import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

/// Undecided requests that are made of much have one room together, and no other is in their way.
@LoopActor @Suite(.aFewAtATime) struct OpenRequestMemoryTests {
  private func started(_ id: String, padding: Int) -> ConsentStarted {
    ConsentStarted(
      requestId: id,
      url: "https://node.example/consent/\(id)?x=" + String(repeating: "x", count: padding),
      code: "ABCD-EF", expiresAt: Date().addingTimeInterval(300), kind: .createOrg)
  }

  private static let padding = 7 * 1024

  /// Records requests that are made of much, until there is no room for one of another session.
  private func fill(_ fixture: BrokerFixture) async throws -> [(id: String, caller: Caller)] {
    var taken: [(id: String, caller: Caller)] = []
    while true {
      let (caller, _) = try await fixture.openSession()
      let before = taken.count
      while true {
        let started = started("long-\(taken.count)", padding: Self.padding)
        let met = await refusal {
          try await fixture.broker.record(started, open: false, idempotencyKey: nil, for: caller)
        }
        guard met == nil else {
          #expect(met == "tooMany openRequests")
          break
        }
        taken.append((started.requestId, caller))
      }
      if taken.count == before { return taken }
    }
  }

  @Test func allUndecidedRequestsTogetherHaveSoManyBytes() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let taken = try await fill(fixture)
    let each = Self.padding - BrokerLimits.openRequestBytes
    #expect(taken.count * each <= BrokerLimits.allOpenRequestBytes)
    #expect((taken.count + 3) * (each + 512) > BrokerLimits.allOpenRequestBytes)
    // An ordinary one does not ask for room.
    let last = try #require(taken.last)
    #expect(try await fixture.start(last.caller).state == .started)
    // What is over makes room.
    for one in taken.suffix(3) { _ = try await fixture.broker.cancel(one.id, for: one.caller) }
    _ = try await fixture.broker.record(
      started("one-more", padding: Self.padding), open: false, idempotencyKey: nil,
      for: last.caller)
  }

  /// However much its session has.
  @Test func anOrdinaryOneAsksForNoRoom() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    for number in 1...32 {
      _ = try await fixture.broker.record(
        started("own-\(number)", padding: Self.padding), open: false, idempotencyKey: nil,
        for: caller)
    }
    _ = try await fill(fixture)
    #expect(try await fixture.start(caller).state == .started)
  }

  /// What a node has taken is recorded; where its answers are long, it is not asked without room.
  @Test func aNodeIsNotAskedWhereThereIsNoRoomForItsAnswer() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let taken = try await fill(fixture)
    let (caller, _) = try await fixture.openSession()
    fixture.node.pagePadding = Self.padding
    // Nobody knows yet.
    #expect(try await fixture.start(caller).state == .started)
    let starts = fixture.node.starts
    #expect(await refusal { try await fixture.start(caller) } == "tooMany openRequests")
    #expect(fixture.node.starts == starts)
    for one in taken.suffix(12) { _ = try await fixture.broker.cancel(one.id, for: one.caller) }
    #expect(try await fixture.start(caller).state == .started)
    // What came to nothing keeps no room.
    fixture.node.isDown = true
    for _ in 1...100 {
      #expect(await refusal { try await fixture.start(caller) } == "NODE_UNREACHABLE")
    }
  }

  /// Nearly 50 KiB.
  private func ask(_ fixture: BrokerFixture, _ caller: Caller) async -> String? {
    let label = String(repeating: "h", count: 60)
    let hosts = (1...256).map { "\(label).\(label).\(label).h\($0).example" }
    return await refusal {
      try await fixture.broker.start(
        .outbound(instance: "i", hosts: hosts), open: false, idempotencyKey: nil, for: caller)
    }
  }

  /// One app cannot keep all others from asking.
  @Test func noSessionHasMoreThanItLeaves() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let (other, _) = try await fixture.openSession()
    let session = try #require(fixture.broker.vault.session(id: caller.session))
    fixture.node.holdCalls()
    var met: [String?] = []
    let calls = (1...60).map { _ in Task.immediate { met.append(await ask(fixture, caller)) } }
    try await LoopActor.until {
      met.count + session.turns.underWay + session.turns.inLine == calls.count
    }
    #expect(met.count > 5 && met.allSatisfy { $0 == "tooMany openRequests" })
    #expect(session.openBytes <= BrokerLimits.allOpenRequestBytes / 2)
    #expect(session.openBytes + 64 * 1024 > BrokerLimits.allOpenRequestBytes / 2)
    let its = Task.immediate { await ask(fixture, other) }
    let others = try #require(fixture.broker.vault.session(id: other.session))
    try await LoopActor.until { others.turns.underWay == 1 }
    fixture.node.release()
    #expect(await its.value == nil)
    for call in calls { await call.value }
    #expect(session.openBytes == 0 && others.openBytes == 0)
  }

  /// Also those that no node has answered, and whose apps may have left.
  @Test func startsUnderWayCountByWhatTheyAsk() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    fixture.node.holdCalls()
    var refused = 0
    var calls: [Task<Void, Never>] = []
    // Each session has half of what is left: there is room for none in the end.
    for _ in 1...8 {
      let (caller, _) = try await fixture.openSession()
      for _ in 1...48 {
        calls.append(
          Task.immediate {
            if await ask(fixture, caller) == "tooMany openRequests" { refused += 1 }
          })
      }
      // Each waits for its turn by now, or was refused.
      try await LoopActor.until {
        let turns = fixture.broker.vault.all.map(\.turns)
        return turns.reduce(refused) { $0 + $1.underWay + $1.inLine } == calls.count
      }
    }
    let (last, _) = try await fixture.openSession()
    #expect(try await LoopActor.end { await ask(fixture, last) } == "tooMany openRequests")
    for call in calls { call.cancel() }
    for call in calls { await call.value }
    // They have left, and what they asked goes on.
    #expect(fixture.broker.startsUnderWay > 50)
    #expect(try await LoopActor.end { await ask(fixture, last) } == "tooMany openRequests")
    fixture.node.release()
    try await LoopActor.until { fixture.broker.startsUnderWay == 0 }
    #expect(await ask(fixture, last) == nil)
  }
}
