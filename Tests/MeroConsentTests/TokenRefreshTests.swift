import Crypto
import EventLoop
import FoundationEssentials
import MeroConsent
import Synchronization
import Testing

@Suite struct TokenRefreshTests {
  /// A node with one good access token at a time; a refresh token is good for one use.
  actor Node {
    private(set) var access = "access-2"
    private(set) var refresh = "refresh-1"
    private(set) var refreshes = 0
    private(set) var bodies: [String] = []
    private var generation = 2

    /// - Parameter bearer: the token of a read.
    func read(_ bearer: String?) -> NodeReply {
      bearer == access ? .json(Fixture.approvedOrg) : .tokenExpired
    }

    func refresh(_ call: NodeCall) -> NodeReply {
      refreshes += 1
      bodies.append(call.text)
      guard call.text.contains("\"\(refresh)\"") else { return .json("", status: 401) }
      refresh = "refresh-\(generation)"
      defer { generation += 1 }
      return .json(#"{"data":{"access_token":"\#(access)","refresh_token":"\#(refresh)"}}"#)
    }

    /// The access token that clients have is good no more.
    func expire() {
      access = "access-\(generation + 1)"
    }
  }

  let node = Node()

  func scripted(
    refreshing: (@Sendable (NodeCall) async throws(ConsentError) -> NodeReply)? = nil
  ) -> ScriptedNode {
    let node = node
    return ScriptedNode { call, _ throws(ConsentError) in
      guard call.path == "/auth/refresh" else { return await node.read(call.bearer?.revealed) }
      if let refreshing { return try await refreshing(call) }
      return await node.refresh(call)
    }
  }

  @Test func refreshesOnceAndTriesAgain() async throws {
    let scripted = scripted()
    let kept = Mutex<[SessionTokens]>([])
    let client = try Fixture.client(scripted) { tokens in kept.withLock { $0.append(tokens) } }
    #expect(try await client.consentResult("rq-1").orgId == "org-1")
    #expect(
      await scripted.paths == [
        "GET /consent/rq-1/result", "POST /auth/refresh", "GET /consent/rq-1/result",
      ])
    #expect(await scripted.bearers == ["access-1", nil, "access-2"])
    #expect(
      await node.bodies == [#"{"access_token":"access-1","refresh_token":"refresh-1"}"#])
    #expect(
      kept.withLock { $0 } == [SessionTokens(accessToken: "access-2", refreshToken: "refresh-2")])
    // The new token is used from now on.
    _ = try await client.consentResult("rq-1")
    #expect(await scripted.bearers.last == "access-2")
    #expect(await node.refreshes == 1)
  }

  @Test func usesEachRefreshTokenOnce() async throws {
    let client = try Fixture.client(scripted())
    for _ in 0..<3 {
      _ = try await client.consentResult("rq-1")
      await node.expire()
    }
    #expect(await node.refreshes == 3)
    #expect(Set(await node.bodies).count == 3)
  }

  @Test func refreshesForAPostToo() async throws {
    let node = node
    let scripted = ScriptedNode { call, _ throws(ConsentError) in
      if call.path == "/auth/refresh" { return await node.refresh(call) }
      return call.bearer?.revealed == "access-2" ? .json(Fixture.startedJSON()) : .tokenExpired
    }
    let client = try Fixture.client(scripted)
    #expect(try await client.requestConsent(.createOrg(name: "n")).requestId == "rq-1")
  }

  @Test func requestsThatExpireTogetherShareOneRefresh() async throws {
    // The refresh is answered only when all have met it.
    let arrived = Mutex(0)
    let node = node
    let scripted = ScriptedNode { call, _ throws(ConsentError) in
      if call.path == "/auth/refresh" {
        while arrived.withLock({ $0 }) < 20 { await Task.yield() }
        return await node.refresh(call)
      }
      if call.bearer?.revealed == "access-1" { arrived.withLock { $0 += 1 } }
      return await node.read(call.bearer?.revealed)
    }
    let client = try Fixture.client(scripted)
    try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<20 {
        group.addTask { try await client.consentResult("rq-1").orgId }
      }
      for try await org in group { #expect(org == "org-1") }
    }
    #expect(await node.refreshes == 1)
  }

  @Test(arguments: [400, 401, 403, 422])
  func isExpiredWhenTheRefreshIsRefused(status: Int) async throws {
    let scripted = scripted { _ in .json("", status: status) }
    let client = try Fixture.client(scripted)
    #expect(await code { try await client.consentResult("rq-1") } == .sessionExpired)
    // The refused token is not sent again.
    #expect(await code { try await client.consentResult("rq-1") } == .sessionExpired)
    #expect(await scripted.paths.filter { $0 == "POST /auth/refresh" }.count == 1)
  }

  @Test func isExpiredWithoutARefreshToken() async throws {
    let scripted = scripted()
    let client = try Fixture.client(scripted, tokens: SessionTokens(accessToken: "access-1"))
    #expect(await code { try await client.consentResult("rq-1") } == .sessionExpired)
    #expect(await scripted.paths == ["GET /consent/rq-1/result"])
  }

  @Test func livesAgainWithNewTokens() async throws {
    let client = try Fixture.client(scripted { _ in .json("", status: 401) })
    #expect(await code { try await client.consentResult("rq-1") } == .sessionExpired)
    try await client.replaceTokens(SessionTokens(accessToken: "access-2"))
    #expect(try await client.consentResult("rq-1").orgId == "org-1")
  }

  @Test(arguments: [404, 429, 500, 503, 302])
  func aRefreshThatFailsOtherwiseIsTheNodesError(status: Int) async throws {
    let failing = Mutex(true)
    let node = node
    let scripted = scripted { call in
      failing.withLock { $0 } ? .json("", status: status) : await node.refresh(call)
    }
    let client = try Fixture.client(scripted)
    #expect(await code { try await client.consentResult("rq-1") } == .nodeError)
    // It may be tried again: the node said nothing about the token.
    failing.withLock { $0 = false }
    #expect(try await client.consentResult("rq-1").orgId == "org-1")
  }

  @Test(arguments: [
    "", "{}", #"{"data":{}}"#, #"{"data":{"access_token":""}}"#,
    #"{"data":{"access_token":"a b"}}"#, #"{"data":{"access_token":"a","refresh_token":"\n"}}"#,
  ])
  func takesNoTokensThatAreNone(json: String) async throws {
    let client = try Fixture.client(scripted { _ in .json(json) })
    #expect(await code { try await client.consentResult("rq-1") } == .nodeError)
  }

  @Test func triesOnceMoreAndNoMore() async throws {
    let scripted = ScriptedNode { call, _ throws(ConsentError) in
      call.path == "/auth/refresh"
        ? .json(#"{"data":{"access_token":"x","refresh_token":"y"}}"#) : .tokenExpired
    }
    let client = try Fixture.client(scripted)
    #expect(await code { try await client.consentResult("rq-1") } == .sessionExpired)
    #expect(await scripted.calls.count == 3)
  }

  @Test(arguments: [nil, "invalid_token", "TOKEN_EXPIRED", "token_expired "])
  func refreshesForNothingButAnExpiredToken(reason: String?) async throws {
    let scripted = ScriptedNode(replies: [NodeReply(status: 401, authError: reason)])
    let client = try Fixture.client(scripted)
    #expect(await code { try await client.consentResult("rq-1") } == .sessionExpired)
    #expect(await scripted.calls.count == 1)
  }

  @Test func aRequestThatGivesUpDoesNotEndTheOthersRefresh() async throws {
    let open = Mutex(false)
    let node = node
    let scripted = scripted { call in
      while !open.withLock({ $0 }) { await Task.yield() }
      return await node.refresh(call)
    }
    let client = try Fixture.client(scripted)
    let first = Task { await code { try await client.consentResult("rq-1") } }
    while await !scripted.paths.contains("POST /auth/refresh") { await Task.yield() }
    let second = Task { try await client.consentResult("rq-1").orgId }
    while await scripted.calls.count < 3 { await Task.yield() }
    first.cancel()
    open.withLock { $0 = true }
    #expect(await first.value == .cancelled)
    #expect(try await second.value == "org-1")
    #expect(await node.refreshes == 1)
  }

  @Test func tokensGivenDuringARefreshWin() async throws {
    let open = Mutex(false)
    let told = Mutex(0)
    let scripted = scripted { _ in
      while !open.withLock({ $0 }) { await Task.yield() }
      return .json(#"{"data":{"access_token":"late","refresh_token":"late"}}"#)
    }
    let client = try Fixture.client(scripted) { _ in told.withLock { $0 += 1 } }
    let read = Task { try await client.consentResult("rq-1").orgId }
    while await !scripted.paths.contains("POST /auth/refresh") { await Task.yield() }
    try await client.replaceTokens(SessionTokens(accessToken: await node.access))
    open.withLock { $0 = true }
    #expect(try await read.value == "org-1")
    #expect(told.withLock { $0 } == 0)
    #expect(await scripted.bearers.last == "access-2")
  }

  @Test func aRefusalOfOlderTokensSaysNothingOfNewerOnes() async throws {
    let open = Mutex(false)
    let node = node
    let scripted = scripted { call in
      guard call.text.contains("refresh-1") else {
        return .json(#"{"data":{"access_token":"\#(await node.access)","refresh_token":"r"}}"#)
      }
      while !open.withLock({ $0 }) { await Task.yield() }
      return .json("", status: 401)
    }
    let client = try Fixture.client(scripted)
    let first = Task { await code { try await client.consentResult("rq-1") } }
    while await !scripted.paths.contains("POST /auth/refresh") { await Task.yield() }
    try await client.replaceTokens(
      SessionTokens(accessToken: "expired-too", refreshToken: "refresh-9"))
    let second = Task { try await client.consentResult("rq-1").orgId }
    while await scripted.calls.count < 3 { await Task.yield() }
    // It has met the refresh of the older ones.
    for _ in 0..<20 { await Task { @LoopActor in }.value }
    open.withLock { $0 = true }
    #expect(try await second.value == "org-1")
    _ = await first.value
  }

  @Test func closingEndsARefresh() async throws {
    let open = Mutex(false)
    let scripted = scripted { _ in
      while !open.withLock({ $0 }) { await Task.yield() }
      return .json(#"{"data":{"access_token":"late","refresh_token":"late"}}"#)
    }
    let client = try Fixture.client(scripted)
    let read = Task { await code { try await client.consentResult("rq-1") } }
    while await !scripted.paths.contains("POST /auth/refresh") { await Task.yield() }
    await client.close()
    open.withLock { $0 = true }
    #expect(await read.value == .cancelled)
  }
}
