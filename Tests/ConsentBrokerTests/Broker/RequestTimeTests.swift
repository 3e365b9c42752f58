import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

/// Where the end of a request comes from a date, the wall clock ends nothing: the node's does.
@LoopActor @Suite(.aFewAtATime) struct RequestTimeTests {
  private static let hour: TimeInterval = 3600

  /// A node that tells the time.
  private func fixture(wallClock: TimeInterval = 0) async throws -> BrokerFixture {
    let fixture = try await BrokerFixture()
    fixture.node.tellsTime = true
    fixture.wallClock.seconds = wallClock
    return fixture
  }

  /// Hands over what another session has asked the node for.
  private func handOver(
    _ fixture: BrokerFixture, _ caller: Caller, lasting lifetime: TimeInterval
  ) async throws -> RequestView {
    let started = ConsentStarted(
      requestId: "rq-1", url: "\(TestNode.origin)/consent/rq-1", code: "7QF2-XK",
      expiresAt: Date().addingTimeInterval(fixture.node.clockSkew + lifetime), kind: .createOrg)
    return try await fixture.broker.record(
      started, open: false, idempotencyKey: nil, for: caller
    ).view
  }

  /// Restarts the daemon while its wall clock is off; the app comes back with its tokens.
  private func restart(
    _ fixture: BrokerFixture, _ key: String, wallClock: TimeInterval
  ) async throws -> Caller {
    fixture.wallClock.seconds = wallClock
    try await fixture.restart()
    let caller = try fixture.broker.authenticate(key: key)
    _ = try await fixture.broker.replaceTokens(of: caller, with: SessionTokens(accessToken: "new"))
    return caller
  }

  private func left(_ view: RequestView, _ fixture: BrokerFixture) throws -> TimeInterval {
    try #require(view.expiresAt).timeIntervalSinceNow - fixture.wallClock.seconds
  }

  /// This machine's clock is off, or the node's is.
  @Test(arguments: [(3600.0, 0.0), (-3600.0, 0), (0, 3600.0), (0, -3600.0), (288000.0, 0)])
  func whatAnAppHandsOverLivesByTheNodesClock(
    _ wallClock: TimeInterval, _ skew: TimeInterval
  ) async throws {
    let fixture = try await fixture(wallClock: wallClock)
    fixture.node.clockSkew = skew
    fixture.node.decide("rq-1", .pending)
    let (caller, _) = try await fixture.openSession()
    let view = try await handOver(fixture, caller, lasting: 600)
    #expect(view.state == .started)
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    try await LoopActor.until { !request.deadlineIsByWallClock }
    let seen = try await fixture.broker.get("rq-1", for: caller)
    #expect(seen.state == .started && !seen.lifetimeCut)
    #expect(abs(try left(seen, fixture) - 600) < 60)
    try await LoopActor.until {
      try await fixture.row("rq-1", caller)?.expiresAt == seen.expiresAt
    }
    // A return that comes before its end hears that nobody has decided.
    #expect(
      await refusal { try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller) }
        == "CONSENT_NOT_DECIDED")
    fixture.node.approve("rq-1")
    let decided = try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller)
    #expect(decided.state == .approved)
  }

  /// What the node no longer has is over where its time is, and was replaced where it is not.
  @Test(arguments: [
    (0.0, 0.0, "expired"), (-3600.0, 0, "expired"), (-288000.0, 0, "expired"),
    (0, 3600.0, "expired"),
    (0, 600, "replaced"), (3600.0, 600, "replaced"), (-3600.0, 600, "replaced"),
  ])
  func whatIsGoneEndsByTheNodesClock(
    _ wallClock: TimeInterval, _ lifetime: TimeInterval, _ expected: String
  ) async throws {
    let fixture = try await fixture(wallClock: wallClock)
    fixture.node.decide("rq-1", .gone)
    let (caller, _) = try await fixture.openSession()
    let view = try await handOver(fixture, caller, lasting: lifetime > 600 ? -1 : lifetime)
    let seen = try await fixture.end(caller, from: view.etag, within: .seconds(60))
    #expect(seen?.state.rawValue == expected)
  }

  @Test func whatAnAppHandsOverExpiresWhenTheNodesClockSaysSo() async throws {
    let fixture = try await fixture(wallClock: -Self.hour)
    fixture.node.decide("rq-1", .pending)
    let (caller, _) = try await fixture.openSession()
    let view = try await handOver(fixture, caller, lasting: 2.5)
    let seen = try await fixture.end(caller, from: view.etag, within: .seconds(60))
    #expect(seen?.state == .expired)
  }

  /// A day at most, by the node's clock: no wall clock makes it look longer.
  @Test(arguments: [-360000.0, 0, 360000.0])
  func aLifetimeOverADayIsCutByTheNodesClock(_ wallClock: TimeInterval) async throws {
    let fixture = try await fixture(wallClock: wallClock)
    fixture.node.decide("rq-1", .pending)
    let (caller, _) = try await fixture.openSession()
    _ = try await handOver(fixture, caller, lasting: 30 * Self.hour)
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    try await LoopActor.until { !request.deadlineIsByWallClock }
    let seen = try await fixture.broker.get("rq-1", for: caller)
    #expect(seen.lifetimeCut)
    #expect(abs(try left(seen, fixture) - 24 * Self.hour) < 60)
    // By the node's clock too, which has the last word.
    let byNode = try #require(request.row.nodeExpiresAt)
    #expect(abs(byNode.timeIntervalSinceNow - 24 * Self.hour) < 60)
    try await LoopActor.until {
      let row = try await fixture.row("rq-1", caller)
      return row?.expiresAt == seen.expiresAt && row?.lifetimeCut == true
        && row?.nodeExpiresAt == request.row.nodeExpiresAt
    }
  }

  /// Also where the node's clock was set since it told the time first.
  @Test func anAnswerIsJudgedByItsOwnDate() async throws {
    let fixture = try await fixture()
    fixture.node.decide("rq-1", .pending)
    let (caller, _) = try await fixture.openSession()
    _ = try await handOver(fixture, caller, lasting: 600)
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    try await LoopActor.until { !request.deadlineIsByWallClock }
    fixture.node.clockSkew = Self.hour
    fixture.node.decide("rq-1", .gone)
    #expect(
      await refusal { try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller) }
        == "CONSENT_EXPIRED")
  }

  /// As it was when it was asked for, and when the daemon starts again.
  @Test(arguments: [
    (0.0, -3600.0), (0, 3600.0), (0, 259200.0), (3600.0, 3600.0), (3600.0, 0), (-3600.0, 0),
  ])
  func aRestartByAWrongClockEndsNothing(
    _ before: TimeInterval, _ after: TimeInterval
  ) async throws {
    let fixture = try await fixture(wallClock: before)
    let (_, key) = try await fixture.openSession()
    _ = try await fixture.start(try fixture.broker.authenticate(key: key))
    let caller = try await restart(fixture, key, wallClock: after)
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    try await LoopActor.until { !request.deadlineIsByWallClock }
    let seen = try await fixture.broker.get("rq-1", for: caller)
    #expect(seen.state == .started)
    #expect(abs(try left(seen, fixture) - 300) < 60)
    fixture.node.decide("rq-1", .gone)
    #expect(
      await refusal { try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller) }
        == "CONSENT_REPLACED")
  }

  @Test(arguments: [(0.0, -3600.0), (3600.0, 0), (-3600.0, -3600.0), (0, 259200.0)])
  func whatExpiredWhileTheDaemonWasAwayIsNotReplaced(
    _ before: TimeInterval, _ after: TimeInterval
  ) async throws {
    let fixture = try await fixture(wallClock: before)
    fixture.watchNothing()
    fixture.node.lifetime = 1
    let (_, key) = try await fixture.openSession()
    let started = Date()
    _ = try await fixture.start(try fixture.broker.authenticate(key: key))
    fixture.node.decide("rq-1", .gone)
    try await LoopActor.until { Date().timeIntervalSince(started) > 1.1 }
    let caller = try await restart(fixture, key, wallClock: after)
    #expect(
      await refusal { try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller) }
        == "CONSENT_EXPIRED")
  }

  /// Neither missing tokens nor a node that is away end what only a wall clock says is over.
  @Test(arguments: [259200.0, -259200.0], [true, false])
  func aWrongClockGivesNothingUp(_ wallClock: TimeInterval, hasTokens: Bool) async throws {
    let fixture = try await fixture()
    let (_, key) = try await fixture.openSession()
    _ = try await fixture.start(try fixture.broker.authenticate(key: key))
    fixture.wallClock.seconds = wallClock
    try await fixture.restart()
    let caller = try fixture.broker.authenticate(key: key)
    fixture.node.isDown = true
    let tokens = SessionTokens(accessToken: "new")
    if hasTokens { _ = try await fixture.broker.replaceTokens(of: caller, with: tokens) }
    for _ in 1...3 {
      #expect(
        await refusal { try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller) }
          == (hasTokens ? "NODE_UNREACHABLE" : "SESSION_EXPIRED"))
    }
    #expect(try await fixture.broker.get("rq-1", for: caller).state == .started)
    fixture.node.isDown = false
    fixture.node.approve("rq-1")
    _ = try await fixture.broker.replaceTokens(of: caller, with: tokens)
    let decided = try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller)
    #expect(decided.state == .approved)
  }

  /// A machine that slept for a weekend has not tried for that long.
  @Test func aLongSleepIsNoPatience() async throws {
    let fixture = try await fixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller) { fixture.node.isDown = true }
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    request.deadline = .now + .hours(-60)
    #expect(
      await refusal { try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller) }
        == "NODE_UNREACHABLE")
    #expect(try await fixture.broker.get("rq-1", for: caller).state == .started)
  }

  /// A day awake in vain is enough; where nobody knows the end, after the longest life that it may
  /// have had.
  @Test(arguments: [(false, 23.0, false), (false, 24, true), (true, 47, false), (true, 48, true)])
  func whatIsNeverHeardOfIsGivenUp(_ isRestored: Bool, _ hours: Double, _ ends: Bool) async throws {
    let fixture = try await fixture()
    let (first, key) = try await fixture.openSession()
    _ = try await fixture.start(first)
    fixture.node.isDown = true
    let caller = isRestored ? try await restart(fixture, key, wallClock: 0) : first
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    if !isRestored { request.deadline = .now }
    request.unheard = UnheardTime(before: .seconds(hours * 3600))
    fixture.broker.watcher.hurry(request)
    try await LoopActor.until { request.isOver || request.unheard.isCounted }
    try await fixture.quiet()
    let seen = try await fixture.broker.get("rq-1", for: caller)
    #expect(seen.state == (ends ? .failed : .started))
    #expect(seen.failure == (ends ? .nodeUnreachable : nil))
  }

  @Test func whatNobodyHearsOfIsCountedOverRestarts() async throws {
    let fixture = try await fixture()
    let (caller, _) = try await fixture.openSession()
    fixture.watchNothing()
    _ = try await fixture.start(caller)
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    request.unheard = UnheardTime(before: .hours(10))
    try await fixture.restart()
    let second = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    #expect(second.unheard.total >= .hours(10) && second.unheard.isCounted)
    // Without a restart in order, the hourly look writes it down.
    second.unheard = UnheardTime(before: .hours(11))
    try await LoopActor.until {
      fixture.broker.housekeeping.timeIsKnown()
      return try await fixture.row("rq-1", caller)?.unheard == 11 * 3600
    }
    try await fixture.replaceKilled()
    let third = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    #expect(third.unheard.total >= .hours(11))
  }

  /// There may be thousands, and a stop has two seconds.
  @Test func whatNobodyHearsOfIsWrittenDownAtOnce() async throws {
    let fixture = try await fixture()
    let (caller, _) = try await fixture.openSession()
    fixture.watchNothing()
    for _ in 1...20 { _ = try await fixture.start(caller) }
    for request in fixture.broker.live.all { request.unheard = UnheardTime(before: .hours(10)) }
    let before = await fixture.ledger.commits
    await fixture.broker.keepUnheardTimes()
    #expect(await fixture.ledger.commits == before + 1)
    for number in 1...20 {
      #expect(try await fixture.row("rq-\(number)", caller)?.unheard == 10 * 3600)
    }
  }

  /// An older record has no end by the node's clock: it is the one that the first read agrees with.
  @Test(arguments: [-3600.0, 3600.0])
  func aRecordOfAnOlderVersionLivesByTheNodesClockToo(_ later: TimeInterval) async throws {
    let fixture = try await fixture()
    let (_, key) = try await fixture.openSession()
    _ = try await fixture.start(try fixture.broker.authenticate(key: key))
    try await fixture.ledger.write { connection throws(LedgerError) in
      try connection.execute("UPDATE requests SET node_expires_at = NULL")
    }
    let caller = try await restart(fixture, key, wallClock: 0)
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    #expect(request.row.nodeExpiresAt == nil || !request.deadlineIsByWallClock)
    try await LoopActor.until { !request.deadlineIsByWallClock }
    try await LoopActor.until { try await fixture.row("rq-1", caller)?.nodeExpiresAt != nil }
    fixture.wallClock.seconds = later
    fixture.broker.clockWasSet()
    #expect(
      await refusal { try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller) }
        == "CONSENT_NOT_DECIDED")
    #expect(try await fixture.broker.get("rq-1", for: caller).state == .started)
    fixture.node.decide("rq-1", .gone)
    #expect(
      await refusal { try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller) }
        == "CONSENT_REPLACED")
  }

  /// The app may have waited for longer than a session may be unused.
  @Test func anEndGivesItsSessionTimeToHearOfIt() async throws {
    let fixture = try await fixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    let session = try #require(fixture.broker.vault.session(id: caller.session))
    // It notes the use of a busy session too.
    fixture.broker.housekeeping.stop()
    session.usedAt = .now + .hours(-9)
    fixture.node.approve("rq-1")
    try await LoopActor.until { fixture.finished.count == 1 }
    #expect(session.usedAt + .hours(1) > .now)
  }

  /// Where nobody else tells the time, this machine's clock has to do.
  @Test func aNodeThatTellsNoTimeLeavesTheWallClock() async throws {
    let fixture = try await BrokerFixture()
    fixture.node.decide("rq-1", .pending)
    let (caller, _) = try await fixture.openSession()
    let view = try await handOver(fixture, caller, lasting: 1)
    #expect(
      try await fixture.end(caller, from: view.etag, within: .seconds(60))?.state == .expired)
  }
}
