import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

/// A verdict that one call told is told by every later one.
@LoopActor @Suite(.aFewAtATime) struct TakenBackTests {
  enum Way: CaseIterable { case list, filteredList, repeatedStart, replay }

  /// The ledger answers `way` when the end is committed, and before the broker hears of that.
  @Test(arguments: Way.allCases)
  func nobodyKnowsMoreThanTheNextCallTells(_ way: Way) async throws {
    let fixture = try await BrokerFixture()
    let (_, key) = try await fixture.openSession()
    let first = try fixture.broker.authenticate(key: key)
    _ = try await fixture.start(first, key: "the-key")
    // What came before a restart, streams read from the ledger.
    try await fixture.restart()
    let caller = try fixture.broker.authenticate(key: key)
    _ = try await fixture.broker.replaceTokens(
      of: caller, with: SessionTokens(accessToken: "access-token-secret"))
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    let disk = await HeldDisk(fixture.ledger)
    fixture.node.approve("rq-1")
    while request.unwritten == nil { try await LoopActor.sleep(for: .milliseconds(1)) }
    // Behind the end, in one commit with it.
    let behind = Task.immediate { await HeldDisk(fixture.ledger) }
    disk.release()
    let commit = await behind.value
    let asked = Task.immediate { try await told(way, fixture, caller) }
    // Its question waits for the ledger, behind the commit.
    for _ in 1...20 { await Task.yield() }
    commit.release()
    let (state, next) = try await asked.value
    #expect(state != .approved || next == .approved)
    let deadline = BootInstant.now + .seconds(60)
    while try await fixture.broker.get("rq-1", for: caller).state != .approved,
      BootInstant.now < deadline
    {
      try await LoopActor.sleep(for: .milliseconds(1))
    }
    #expect(try await told(way, fixture, caller).0 == .approved)
  }

  /// What a call says, and what the next one says in the same moment.
  private func told(
    _ way: Way, _ fixture: BrokerFixture, _ caller: Caller
  ) async throws -> (RequestState?, RequestState) {
    var state: RequestState?
    switch way {
    case .list, .filteredList:
      state = try await fixture.broker.list(
        state: way == .list ? nil : .approved, limit: 9, before: nil, for: caller
      ).requests.first?.state
    case .repeatedStart: state = try await fixture.start(caller, key: "the-key").state
    case .replay:
      let stream = try fixture.broker.events(after: 0, for: caller)
      // `started`, and what there is besides.
      for _ in 1...2 {
        guard case .event(let event) = await stream.next(until: .now) else { break }
        state = event.state
      }
    }
    return (state, try await fixture.broker.get("rq-1", for: caller).state)
  }
}
