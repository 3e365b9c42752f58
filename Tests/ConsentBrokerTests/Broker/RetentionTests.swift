import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

/// No clock that is wrong has anything forgotten.
@LoopActor @Suite(.aFewAtATime) struct RetentionTests {
  private static let years: TimeInterval = 5 * 365 * 86_400
  private static let day: TimeInterval = 86_400

  /// A request that is decided now.
  private func approved(_ fixture: BrokerFixture) async throws -> Caller {
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.node.approve("rq-1")
    _ = try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller)
    return caller
  }

  /// A request of another session that ended a month and a day ago.
  private func recordOldOne(_ fixture: BrokerFixture) async throws {
    let row = try await fixture.ledger.started("old", session: "s_other")
    let at = Date().addingTimeInterval(-31 * Self.day)
    _ = try await fixture.ledger.finish(row.number, RequestEnding(state: .declined, at: at))
  }

  /// Returns once it has been forgotten.
  private func oldOneGoes(_ fixture: BrokerFixture) async throws {
    while try await fixture.ledger.request("old", of: "s_other") != nil {
      try await LoopActor.sleep(for: .milliseconds(5))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func aClockThatIsYearsAheadAtTheStartHasNothingForgotten() async throws {
    let fixture = try await BrokerFixture()
    let caller = try await approved(fixture)
    fixture.wallClock.seconds = Self.years
    try await fixture.restart()
    try await recordOldOne(fixture)
    fixture.broker.noteTime(ofNode: Date())
    try await oldOneGoes(fixture)
    #expect(try await fixture.row("rq-1", caller)?.state == .approved)
    // Nor is its session unused for years.
    #expect(try fixture.broker.session(of: caller).session == caller.session)
  }

  @Test(.timeLimit(.minutes(5)))
  func theFirstNodeThatTellsTheTimeHasOldRecordsForgotten() async throws {
    let fixture = try await BrokerFixture()
    fixture.node.tellsTime = true
    try await recordOldOne(fixture)
    #expect(fixture.broker.agreedNow == nil)
    let caller = try await approved(fixture)
    try await oldOneGoes(fixture)
    #expect(fixture.broker.agreedNow != nil)
    #expect(try await fixture.row("rq-1", caller)?.state == .approved)
  }

  @Test func aClockThatWasPutRightShowsWhichSessionsAreUnused() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.wallClock.seconds = Self.years
    try await fixture.restart()
    let session = try #require(fixture.broker.vault.session(id: caller.session))
    let timeout = Duration.hours(8)
    #expect(session.usedAt + timeout > .now)
    #expect(session.usedAt + timeout < .now + .minutes(11))
    fixture.wallClock.seconds = 0
    fixture.broker.clockWasSet()
    #expect(session.usedAt + timeout > .now + .hours(7))
    // And one that was used in this run goes by no wall clock.
    fixture.broker.housekeeping.noteUse(of: session)
    let used = session.usedAt
    fixture.wallClock.seconds = Self.years
    fixture.broker.clockWasSet()
    #expect(session.usedAt == used)
  }
}

@Suite struct AgreedTimeTests {
  private let began = BootInstant.now
  private let wall = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func nobodyKnowsTheTimeBeforeANodeTellsIt() {
    #expect(AgreedTime().date(wall: wall, at: began) == nil)
  }

  /// Seconds by which nodes and the wall clock are ahead, and what is agreed.
  @Test(arguments: [
    ([0.0], 0.0, 0.0), ([-3600], 0, -3600), ([1e9], 0, 0), ([0], 1e9, 0), ([-1e9, 0], 1e9, 0),
    ([0, -1e9], 1e9, 0), ([0, 1e9], -60, -60),
  ])
  func itIsTheEarlierOfTheWallClockAndTheLatestNode(
    _ nodes: [TimeInterval], _ clock: TimeInterval, _ agreed: TimeInterval
  ) {
    var time = AgreedTime()
    let isFirst = nodes.map { time.note(wall.addingTimeInterval($0), at: began) }
    #expect(isFirst == nodes.indices.map { $0 == 0 })
    #expect(
      time.date(wall: wall.addingTimeInterval(clock), at: began)
        == wall.addingTimeInterval(agreed))
  }

  @Test func aNodesTimeGoesOn() {
    var time = AgreedTime()
    _ = time.note(wall, at: began)
    #expect(
      time.date(wall: wall.addingTimeInterval(1e9), at: began + .hours(2))
        == wall.addingTimeInterval(7200))
  }
}
