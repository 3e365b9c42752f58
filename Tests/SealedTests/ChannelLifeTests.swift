import Crypto
import Sealed
import Testing

/// Renewal, idleness, cancellation and the end of a channel.
@Suite(.timeLimit(.minutes(5))) struct ChannelLifeTests {
  // MARK: Renewal

  struct Renewal: Sendable {
    /// What the node says, in seconds.
    let lifetime: UInt32
    /// When the client opens another session.
    let renewal: Duration
  }

  static let renewals = [
    Renewal(lifetime: 3600, renewal: .seconds(3540)),
    Renewal(lifetime: 3601, renewal: .seconds(3540)),
    Renewal(lifetime: .max, renewal: .seconds(3540)),
    Renewal(lifetime: 600, renewal: .seconds(540)),
    Renewal(lifetime: 121, renewal: .seconds(61)),
    Renewal(lifetime: 60, renewal: .seconds(30)),
    Renewal(lifetime: 1, renewal: .milliseconds(500)),
  ]

  @Test(arguments: renewals) func renewsASessionBeforeItEnds(renewal: Renewal) async throws {
    let fixture = await ChannelFixture()
    await fixture.node.setLifetime(renewal.lifetime)
    try await fixture.get()
    var left = renewal.renewal
    // In steps below the idle limit, so that only the lifetime counts.
    while left > .seconds(500) {
      fixture.clock.advance(by: .seconds(500))
      left -= .seconds(500)
      try await fixture.get()
    }
    fixture.clock.advance(by: left - .milliseconds(1))
    try await fixture.get()
    #expect(await fixture.node.count(.handshake) == 1)
    fixture.clock.advance(by: .milliseconds(1))
    try await fixture.get()
    #expect(await fixture.node.count(.handshake) == 2)
  }

  @Test func refusesASessionWithoutALife() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.setLifetime(0)
    #expect(await fixture.failure() == .flawed(.sessionLifetime))
  }

  @Test func leavesAnIdleSession() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get()
    fixture.clock.advance(by: .seconds(600) - .milliseconds(1))
    try await fixture.get()
    #expect(await fixture.node.count(.handshake) == 1)
    fixture.clock.advance(by: .seconds(600))
    try await fixture.get()
    #expect(await fixture.node.count(.handshake) == 2)
  }

  @Test func wipesTheKeysOfAnIdleSessionWithoutBeingAsked() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get()
    #expect(await fixture.channel.holdsKeys)
    await fixture.clock.untilSomebodySleeps(for: .seconds(600))
    fixture.clock.advance(by: .seconds(300))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(300))
    await fixture.clock.untilSomebodySleeps(for: .seconds(300))
    #expect(await fixture.channel.holdsKeys, "used five minutes ago")
    fixture.clock.advance(by: .seconds(300))
    while await fixture.channel.holdsKeys { await Task.yield() }
    #expect(fixture.clock.sleepers == 0)
  }

  @Test func aRenewedSessionAnswersWhatIsUnderWay() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/warm-up")
    await fixture.node.next(.exchange, .hold)
    async let slow = fixture.get("/slow")
    await fixture.node.untilHeld(1)
    fixture.clock.advance(by: .seconds(3540))
    #expect(try await fixture.get("/new") == "/new")
    #expect(await fixture.node.count(.handshake) == 2)
    await fixture.node.release()
    #expect(try await slow == "/slow")
  }

  // MARK: Cancellation

  @Test func aCancelledRequestThrowsAndTheOthersGoOn() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.handshake, .hold)
    let patient = Task { try await fixture.get("/patient") }
    await fixture.node.untilHeld(1)
    let hasty = Task { await fixture.failure("/hasty") }
    while await fixture.channel.requestsUnderWay < 2 { await Task.yield() }
    hasty.cancel()
    #expect(await hasty.value == .cancelled)
    await fixture.node.release()
    #expect(try await patient.value == "/patient")
    #expect(await fixture.node.ran.map(\.head.path) == ["/patient"])
    #expect(await fixture.node.count(.handshake) == 1)
  }

  @Test func theOneWhoOpenedMayBeCancelledToo() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.handshake, .hold)
    let opener = Task { await fixture.failure("/opener") }
    await fixture.node.untilHeld(1)
    let other = Task { try await fixture.get("/other") }
    while await fixture.channel.requestsUnderWay < 2 { await Task.yield() }
    opener.cancel()
    #expect(await opener.value == .cancelled)
    await fixture.node.release()
    #expect(try await other.value == "/other")
    #expect(await fixture.node.count(.handshake) == 1)
  }

  @Test func aCancelledRequestStopsItsTransfer() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/warm-up")
    await fixture.node.next(.exchange, .hold)
    let request = Task { await fixture.failure() }
    await fixture.node.untilHeld(1)
    request.cancel()
    await fixture.node.release()
    #expect(await request.value == .cancelled)
    #expect(SealedError.cancelled.meaning == .abandoned)
  }

  @Test func aRequestThatWasCancelledBeforeIsNotSent() async throws {
    let fixture = await ChannelFixture()
    let request = Task {
      while !Task.isCancelled { await Task.yield() }
      return await fixture.failure()
    }
    request.cancel()
    #expect(await request.value == .cancelled)
    #expect(await fixture.node.posts.isEmpty)
  }

  @Test func theWaitForABusyNodeCanBeCancelled() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/warm-up")
    await fixture.node.next(.exchange, .refuse(.busy, retryAfter: "4"))
    let request = Task { await fixture.failure() }
    await fixture.clock.untilSomebodySleeps(for: .seconds(4))
    request.cancel()
    #expect(await request.value == .cancelled)
  }

  // MARK: Closing

  @Test func closingWipesTheKeysAndRefusesWhatIsLater() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get()
    await fixture.channel.close()
    #expect(await !fixture.channel.holdsKeys)
    #expect(await fixture.failure() == .closed)
    #expect(await fixture.node.isClosed)
    #expect(await fixture.node.count(.exchange) == 1)
    await fixture.channel.close()
  }

  @Test func closingEndsWhatIsUnderWay() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/warm-up")
    await fixture.node.next(.exchange, .hold)
    async let slow = fixture.failure("/slow")
    await fixture.node.untilHeld(1)
    await fixture.channel.close()
    #expect(await slow == .closed)
  }

  @Test func closingEndsAnOpeningAndAllWhoWaitForIt() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.handshake, .hold)
    async let first = fixture.failure("/1")
    await fixture.node.untilHeld(1)
    async let second = fixture.failure("/2")
    while await fixture.channel.requestsUnderWay < 2 { await Task.yield() }
    await fixture.channel.close()
    #expect(await first == .closed)
    #expect(await second == .closed)
    #expect(await !fixture.channel.holdsKeys)
  }

  @Test func closingEndsTheWaitForABusyNode() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.handshake, .refuse(.busy, retryAfter: "4"))
    async let failure = fixture.failure()
    await fixture.clock.untilSomebodySleeps(for: .seconds(4))
    await fixture.channel.close()
    #expect(await failure == .closed)
    #expect(await fixture.node.count(.handshake) == 1)
  }

  /// The last byte is in, the end of the answer is not: the carrier may not notice the closing.
  @Test func closingAtTheEndOfAHandshakeLeavesNoKeys() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.whileEndsAreWaitedFor { await fixture.channel.close() }
    #expect(await fixture.failure() == .closed)
    #expect(await !fixture.channel.holdsKeys)
    #expect(await fixture.node.count(.exchange) == 0)
    await fixture.node.whileEndsAreWaitedFor(nil)
  }

  @Test func closingAtTheEndOfAnAnswerYieldsNothing() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/warm-up")
    await fixture.node.whileEndsAreWaitedFor { await fixture.channel.close() }
    #expect(await fixture.failure() == .closed)
    // The node holds the fixture until then, and the fixture the node.
    await fixture.node.whileEndsAreWaitedFor(nil)
  }
}
