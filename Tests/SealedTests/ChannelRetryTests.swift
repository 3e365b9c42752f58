import Crypto
import Sealed
import Testing

/// The table of refusals: what is repeated, how often, and what never is.
@Suite(.timeLimit(.minutes(5))) struct ChannelRetryTests {
  // MARK: unknown_session

  @Test func opensANewSessionWhenTheNodeForgotItsOwn() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/a")
    await fixture.node.forgetKeys()
    #expect(try await fixture.get("/b") == "/b")
    #expect(await fixture.node.count(.handshake) == 2)
    #expect(await fixture.node.ran.map(\.head.path) == ["/a", "/b"])
  }

  @Test func sendsAgainOnlyOnceForAnUnknownSession() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.exchange, .refuse(.unknownSession), .refuse(.unknownSession))
    #expect(await fixture.failure() == .refused(NodeRefusal(.unknownSession)))
    #expect(await fixture.node.count(.exchange) == 2)
    #expect(await fixture.node.ran.isEmpty)
    #expect(try await fixture.get("/later") == "/later")
  }

  @Test func opensOneNewSessionForAllWhoFindItStale() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/warm-up")
    await fixture.node.next(.exchange, .hold, .hold, .hold)
    async let first = fixture.get("/1")
    async let second = fixture.get("/2")
    async let third = fixture.get("/3")
    await fixture.node.untilHeld(3)
    await fixture.node.forgetKeys()
    await fixture.node.release()
    let answers = try await [first, second, third]
    #expect(answers == ["/1", "/2", "/3"])
    #expect(await fixture.node.count(.handshake) == 2)
    #expect(await fixture.node.count(.exchange) == 7)
  }

  @Test func aLateRefusalDoesNotEndTheNewSession() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/warm-up")
    await fixture.node.next(.exchange, .hold)
    async let late = fixture.get("/late")
    await fixture.node.untilHeld(1)
    await fixture.node.forgetKeys()
    #expect(try await fixture.get("/new") == "/new")
    await fixture.node.release()
    #expect(try await late == "/late")
    #expect(await fixture.node.count(.handshake) == 2)
  }

  // MARK: stale_transport_key

  @Test func attestsAgainWhenTheNodeHasANewKey() async throws {
    let fixture = await ChannelFixture(.attested)
    try await fixture.get("/a")
    await fixture.node.restart()
    #expect(try await fixture.get("/b") == "/b")
    #expect(await fixture.node.count(.attest) == 2)
    let asked = fixture.verifier.asked
    #expect(asked.count == 2)
    #expect(asked[0].nonce != asked[1].nonce)
    #expect(asked[0].transportKey != asked[1].transportKey)
    #expect(await fixture.node.ran.map(\.head.path) == ["/a", "/b"])
  }

  @Test func attestsAgainOnlyOnceForAStaleKey() async throws {
    let fixture = await ChannelFixture(.attested)
    await fixture.node.next(.handshake, .refuse(.staleTransportKey), .refuse(.staleTransportKey))
    #expect(await fixture.failure() == .refused(NodeRefusal(.staleTransportKey)))
    #expect(await fixture.node.count(.attest) == 2)
    #expect(await fixture.node.count(.handshake) == 2)
    #expect(await fixture.node.count(.exchange) == 0)
  }

  @Test func attestsAgainWhenAnExchangeFindsTheKeyStale() async throws {
    let fixture = await ChannelFixture(.attested)
    await fixture.node.next(.exchange, .refuse(.staleTransportKey))
    #expect(try await fixture.get("/a") == "/a")
    #expect(await fixture.node.count(.attest) == 2)
    #expect(await fixture.node.count(.handshake) == 2)
  }

  @Test(arguments: [FakeNode.Call.handshake, .exchange])
  func trustsNoOtherKeyThanThePinnedOne(call: FakeNode.Call) async throws {
    let fixture = await ChannelFixture(.pinned)
    await fixture.node.next(call, .refuse(.staleTransportKey))
    #expect(await fixture.failure() == .untrusted(.pinnedKeyStale))
    #expect(await fixture.node.count(.attest) == 0)
    #expect(await fixture.node.count(.handshake) == 1)
    #expect(await fixture.node.ran.isEmpty)
  }

  @Test func aPinnedKeyOfARestartedNodeIsNotTrusted() async throws {
    let fixture = await ChannelFixture(.pinned)
    try await fixture.get()
    await fixture.node.restart()
    #expect(await fixture.failure() == .untrusted(.pinnedKeyStale))
  }

  // MARK: busy

  @Test(
    arguments: [
      ("1", Duration.seconds(1)), ("5", .seconds(5)), ("6", .seconds(5)), ("3600", .seconds(5)),
      ("0", .zero), (nil, .seconds(1)), ("soon", .seconds(1)), ("-1", .seconds(1)),
      ("1.5", .seconds(1)), ("99999999999999999999", .seconds(1)),
      ("Tue, 01 Jan 2030 00:00:00 GMT", .seconds(1)),
    ] as [(String?, Duration)])
  func waitsAsLongAsABusyNodeAsks(retryAfter: String?, pause: Duration) async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.handshake, .refuse(.busy, retryAfter: retryAfter))
    async let answer = fixture.get("/patient")
    await fixture.clock.untilSomebodySleeps(for: pause)
    #expect(await fixture.node.count(.handshake) == 1)
    fixture.clock.advance(by: pause)
    #expect(try await answer == "/patient")
    #expect(await fixture.node.count(.handshake) == 2)
  }

  @Test(arguments: [FakeNode.Call.handshake, .exchange])
  func triesABusyNodeOnlyOnceMore(call: FakeNode.Call) async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(call, .refuse(.busy, retryAfter: "2"), .refuse(.busy, retryAfter: "2"))
    async let failure = fixture.failure()
    await fixture.clock.untilSomebodySleeps(for: .seconds(2))
    fixture.clock.advance(by: .seconds(2))
    #expect(await failure == .refused(NodeRefusal(.busy, retryAfter: 2)))
    #expect(await fixture.node.count(call) == 2)
    #expect(await fixture.node.ran.isEmpty)
  }

  // MARK: The connection

  @Test(arguments: [FakeNode.Call.attest, .handshake, .exchange])
  func connectsOnceMoreWhenNoByteWasSent(call: FakeNode.Call) async throws {
    let fixture = await ChannelFixture(.attested)
    let failed = CarrierError(.notConnected, requestMayHaveLeft: false)
    await fixture.node.next(call, .fail(failed))
    #expect(try await fixture.get("/a") == "/a")
    #expect(await fixture.node.count(call) == 2)
    let fresh = await ChannelFixture(.attested)
    await fresh.node.next(call, .fail(failed), .fail(failed))
    #expect(await fresh.failure() == .unreachable(failed))
    #expect(await fresh.node.count(call) == 2)
  }

  @Test func sendsTheSameBytesOverTheSecondConnection() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.exchange, .fail(CarrierError(.cut, requestMayHaveLeft: false)))
    try await fixture.get("/a")
    let posts = await fixture.node.posts.filter { $0.path == "/sealed/v2" }
    #expect(posts.count == 2)
    #expect(posts[0].body == posts[1].body)
  }

  static let finalErrors =
    CarrierError.Reason.allCases
    .filter { ![.cancelled, .closed].contains($0) }
    .map { CarrierError($0, requestMayHaveLeft: true) } + [
      CarrierError(.timedOut, requestMayHaveLeft: false),
      CarrierError(.nameNotFound, requestMayHaveLeft: false),
      CarrierError(.tls, requestMayHaveLeft: false),
    ]

  @Test(arguments: finalErrors, [FakeNode.Call.attest, .handshake, .exchange])
  func repeatsNothingThatMayHaveLeft(error: CarrierError, call: FakeNode.Call) async throws {
    let fixture = await ChannelFixture(.attested)
    await fixture.node.next(call, .fail(error))
    #expect(await fixture.failure() == .unreachable(error))
    #expect(await fixture.node.count(call) == 1)
  }

  @Test func doesNotRepeatARequestWhoseAnswerWasCut() async throws {
    let fixture = await ChannelFixture()
    let cut = CarrierError(.cut, requestMayHaveLeft: true)
    await fixture.node.next(.exchange, .spoil({ Array($0.prefix(30)) }, ending: cut))
    #expect(await fixture.failure("/once") == .unreachable(cut))
    #expect(await fixture.node.ran.map(\.head.path) == ["/once"])
    #expect(await fixture.node.count(.exchange) == 1)
  }

  // MARK: What is never repeated

  static let finalCodes: [NodeRefusal.Code] = [
    .malformed, .unsupportedVersion, .undecryptable, .replayedRequest, .tooLarge, .sealedRequired,
  ]

  @Test(arguments: finalCodes, [FakeNode.Call.attest, .handshake, .exchange])
  func repeatsNoOtherRefusal(code: NodeRefusal.Code, call: FakeNode.Call) async throws {
    let fixture = await ChannelFixture(.attested)
    await fixture.node.next(call, .refuse(code))
    let failure = await fixture.failure()
    #expect(failure == .refused(NodeRefusal(code)))
    #expect(failure?.meaning == .node(status: code.status))
    #expect(await fixture.node.count(call) == 1)
    #expect(await fixture.node.ran.isEmpty)
  }

  @Test func anUnknownSessionIsNoAnswerToAHandshake() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.handshake, .refuse(.unknownSession))
    #expect(await fixture.failure() == .refused(NodeRefusal(.unknownSession)))
    #expect(await fixture.node.count(.handshake) == 1)
  }

  /// A proxy's page may hold the words of a refusal; only the status of the table makes it one.
  @Test(arguments: [(500, "unknown_session"), (409, "busy"), (503, "unknown_session")])
  func actsOnNoCodeUnderAnotherStatus(status: Int, code: String) async throws {
    let fixture = await ChannelFixture()
    let body = Array(#"{"error":{"code":"\#(code)","message":"x"}}"#.utf8)
    await fixture.node.next(
      .exchange, .say(status: status, contentType: "application/json", body: body))
    let failure = await fixture.failure()
    guard case .refused(let refusal) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(refusal.status == status)
    #expect(refusal.code == code)
    #expect(refusal.known == nil)
    #expect(await fixture.node.count(.exchange) == 1)
  }

  @Test func keepsACodeThatItDoesNotKnow() async throws {
    let fixture = await ChannelFixture()
    let body = Array(#"{"error":{"code":"from_the_future"}}"#.utf8)
    await fixture.node.next(.exchange, .say(status: 422, contentType: nil, body: body))
    let failure = await fixture.failure()
    guard case .refused(let refusal) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(refusal.code == "from_the_future")
    #expect(failure?.meaning == .node(status: 422))
  }

  @Test func survivesEveryKindOfRefusalInOneRequest() async throws {
    let fixture = await ChannelFixture(.attested)
    await fixture.node.next(
      .handshake, .refuse(.staleTransportKey), .refuse(.busy, retryAfter: "0"), .well)
    await fixture.node.next(
      .exchange, .refuse(.unknownSession), .refuse(.busy, retryAfter: "0"), .well)
    async let answer = fixture.get("/stubborn")
    for _ in 0..<2 {
      await fixture.clock.untilSomebodySleeps(for: .zero)
      fixture.clock.advance(by: .zero)
    }
    #expect(try await answer == "/stubborn")
    #expect(await fixture.node.ran.count == 1)
  }
}
