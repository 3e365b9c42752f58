import Crypto
import Sealed
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChannelTests {
  @Test func sendsARequestAndTakesItsAnswer() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(
      .exchange,
      .answer(SealedResponseHead(status: 201, fields: [SealedField("X-Kind", "b")]), [9, 8]))
    let response = try await fixture.channel.send(
      SealedRequest(
        method: "POST", path: "/consent/requests?x=1",
        fields: [SealedField("content-type", "application/json"), SealedField("Host", "evil")],
        bearer: Redacted("token-1"), body: [1, 2]))
    #expect(response.status == 201)
    #expect(response.first("x-kind") == "b")
    #expect(response.body == [9, 8])
    #expect(response.date == "Tue, 01 Jan 2030 00:00:00 GMT")
    let seen = try #require(await fixture.node.ran.first)
    #expect(seen.head.method == "POST")
    #expect(seen.head.path == "/consent/requests?x=1")
    #expect(
      seen.head.fields == [
        SealedField("content-type", "application/json"),
        SealedField("authorization", "Bearer token-1"),
      ])
    #expect(seen.body == [1, 2])
  }

  @Test func postsSealedBytesToTheTwoPathsAndNothingElse() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/secret-path")
    let posts = await fixture.node.posts
    #expect(posts.map(\.path) == ["/sealed/v2/handshake", "/sealed/v2"])
    #expect(posts.allSatisfy { $0.contentType == "application/vnd.calimero.sealed" })
    #expect(posts[0].replyLimit == 1024)
    let inTheClear = Array("secret-path".utf8)
    for post in posts { #expect(!post.body.contains(inTheClear)) }
  }

  @Test func usesOneSessionForRequestsThatFollowEachOther() async throws {
    let fixture = await ChannelFixture()
    for path in ["/a", "/b", "/c"] { #expect(try await fixture.get(path) == path) }
    #expect(await fixture.node.count(.handshake) == 1)
    #expect(await fixture.node.ran.map(\.requestID) == [1, 2, 3])
  }

  @Test func opensOneSessionForRequestsThatComeTogether() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.handshake, .hold)
    async let first = fixture.get("/1")
    await fixture.node.untilHeld(1)
    async let others = withThrowingTaskGroup(of: Void.self) { group in
      for number in 2...20 {
        group.addTask {
          let answer = try await fixture.get("/\(number)")
          #expect(answer == "/\(number)")
        }
      }
      try await group.waitForAll()
    }
    await fixture.node.release()
    #expect(try await first == "/1")
    try await others
    #expect(await fixture.node.count(.handshake) == 1)
    #expect(Set(await fixture.node.ran.map(\.requestID)) == Set(1...20))
    #expect(Set(await fixture.node.ran.map(\.sessionID)).count == 1)
  }

  @Test func answersRequestsInTheOrderInWhichTheNodeDoes() async throws {
    let fixture = await ChannelFixture()
    try await fixture.get("/warm-up")
    await fixture.node.next(.exchange, .hold)
    async let slow = fixture.get("/slow")
    await fixture.node.untilHeld(1)
    #expect(try await fixture.get("/fast") == "/fast")
    await fixture.node.release()
    #expect(try await slow == "/slow")
    #expect(await fixture.node.count(.handshake) == 1)
  }

  @Test(arguments: [1, 2, 3, 7, 64, 100_000])
  func takesAnswersInPiecesOfAnySize(size: Int) async throws {
    let fixture = await ChannelFixture()
    await fixture.node.setPieceSize(size)
    #expect(try await fixture.get("/pieces") == "/pieces")
  }

  @Test func takesABodyUpToItsLimitAndNotOneByteMore() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.setPieceSize(16_384)
    let head = SealedResponseHead(status: 200, fields: [])
    let body = [UInt8](repeating: 1, count: 100_000)
    var request = SealedRequest(method: "GET", path: "/")
    request.responseLimit = body.count
    await fixture.node.next(.exchange, .answer(head, body), .answer(head, body + [1]))
    #expect(try await fixture.channel.send(request).body == body)
    await #expect(throws: SealedError.flawed(.bodyTooLong)) {
      try await fixture.channel.send(request)
    }
  }

  @Test func takesAMebibyteUnlessToldOtherwise() async throws {
    #expect(SealedRequest(method: "GET", path: "/").responseLimit == 1_048_576)
  }

  @Test func answersAnErrorOfTheNodeAsAnAnswer() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(
      .exchange, .answer(SealedResponseHead(status: 404, fields: []), Array("{}".utf8)))
    let response = try await fixture.channel.send(SealedRequest(method: "GET", path: "/gone"))
    #expect(response.status == 404)
  }

  @Test func runsOnTheExecutorItIsGiven() async throws {
    let (node, manual) = (FakeNode(), ManualClock())
    let clock = SealedClock(
      now: {
        node.preconditionIsolated()
        return manual.now
      }, sleep: manual.sealed.sleep)
    let channel = SealedChannel(
      on: node, carrier: node, trust: .pinned(await node.transportKey), clock: clock)
    #expect(try await channel.send(SealedRequest(method: "GET", path: "/")).status == 200)
  }

  // MARK: Requests that cannot be sent

  @Test(arguments: [
    (SealedRequest(method: "", path: "/"), InvalidRequest.method),
    (SealedRequest(method: "GE T", path: "/"), .method),
    (SealedRequest(method: "GET", path: ""), .path),
    (SealedRequest(method: "GET", path: "a"), .path),
    (SealedRequest(method: "GET", path: "/ä"), .path),
    (SealedRequest(method: "GET", path: "/a b"), .path),
    (SealedRequest(method: "GET", path: "/a\r\nb"), .path),
    (SealedRequest(method: "GET", path: "/", fields: [SealedField("a b", "")]), .field),
    (SealedRequest(method: "GET", path: "/", fields: [SealedField("", "")]), .field),
    (SealedRequest(method: "GET", path: "/", fields: [SealedField("a", "b\n")]), .field),
    (SealedRequest(method: "GET", path: "/", bearer: Redacted("a\r\nb: c")), .field),
    (
      SealedRequest(method: "POST", path: "/", body: [UInt8](repeating: 0, count: 4 << 20)),
      .tooLarge
    ),
  ])
  func refusesARequestBeforeAnythingIsSent(
    request: SealedRequest, mistake: InvalidRequest
  ) async {
    let fixture = await ChannelFixture()
    await #expect(throws: SealedError.invalidRequest(mistake)) {
      try await fixture.channel.send(request)
    }
    #expect(await fixture.node.posts.isEmpty)
  }

  @Test func hasALimitForRequestsUnderWay() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.handshake, .hold)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await fixture.get() }
      await fixture.node.untilHeld(1)
      for _ in 2...SealedLimits.requestsUnderWay { group.addTask { try await fixture.get() } }
      // Tasks of a group start in any order: ask until the last of them is in.
      while await fixture.channel.requestsUnderWay < SealedLimits.requestsUnderWay {
        await Task.yield()
      }
      #expect(await fixture.failure() == .invalidRequest(.tooMany))
      await fixture.node.release()
      try await group.waitForAll()
    }
    try await fixture.get()
  }
}
