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

  @Test func allUndecidedRequestsTogetherHaveSoManyBytes() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let padding = 7 * 1024
    var caller = try await fixture.openSession().caller
    var taken: [(id: String, caller: Caller)] = []
    var met: String?
    while met == nil, taken.count < 2000 {
      if taken.count.isMultiple(of: BrokerLimits.openRequests) {
        caller = try await fixture.openSession().caller
      }
      let started = started("long-\(taken.count)", padding: padding)
      met = await refusal {
        try await fixture.broker.record(started, open: false, idempotencyKey: nil, for: caller)
      }
      if met == nil { taken.append((started.requestId, caller)) }
    }
    #expect(met == "tooMany openRequests")
    let each = padding - BrokerLimits.openRequestBytes
    #expect(taken.count * each <= BrokerLimits.allOpenRequestBytes)
    #expect((taken.count + 2) * (each + 512) > BrokerLimits.allOpenRequestBytes)
    // An ordinary one does not ask for room.
    #expect(try await fixture.start(caller).state == .started)
    // What is over makes room.
    let last = try #require(taken.last)
    _ = try await fixture.broker.cancel(last.id, for: last.caller)
    _ = try await fixture.broker.record(
      started("one-more", padding: padding), open: false, idempotencyKey: nil, for: last.caller)
  }

  /// Also those that no node has answered, and whose apps may have left.
  @Test func startsUnderWayCountByWhatTheyAsk() async throws {
    let fixture = try await BrokerFixture()
    var callers: [Caller] = []
    for _ in 1...4 { callers.append(try await fixture.openSession().caller) }
    fixture.node.holdCalls()
    let label = String(repeating: "h", count: 60)
    let hosts = (1...256).map { "\(label).\(label).\(label).h\($0).example" }
    var refused = 0
    func ask(_ caller: Caller) -> Task<String?, Never> {
      Task.immediate {
        let met = await refusal {
          try await fixture.broker.start(
            .outbound(instance: "i", hosts: hosts), open: false, idempotencyKey: nil, for: caller)
        }
        if met != nil { refused += 1 }
        return met
      }
    }
    // Nearly 50 KiB each: fewer than their sessions may have, and more than there is room for.
    let calls = (0..<150).map { ask(callers[$0 % 3]) }
    // Each waits for its turn by now, or was refused.
    try await LoopActor.until {
      let turns = fixture.broker.vault.all.map(\.turns)
      return turns.reduce(refused) { $0 + $1.underWay + $1.inLine } == calls.count
    }
    #expect(await ask(callers[3]).value == "tooMany openRequests")
    for call in calls { call.cancel() }
    for call in calls { _ = await call.value }
    // They have left, and what they asked goes on.
    #expect(fixture.broker.startsUnderWay > 50)
    #expect(await ask(callers[3]).value == "tooMany openRequests")
    fixture.node.release()
    while fixture.broker.startsUnderWay > 0 { try await LoopActor.sleep(for: .milliseconds(1)) }
    #expect(await ask(callers[3]).value == nil)
  }
}
