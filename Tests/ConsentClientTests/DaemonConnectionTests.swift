import ConsentClient
import EventLoop
import HTTP
import MeroConsent
import Testing

/// Kept connections, dead ones, and daemons that start again.
@Suite @LoopActor struct DaemonConnectionTests {
  @Test func callsOneAfterTheOtherShareAConnection() async throws {
    let daemon = try StubDaemon(200, requestJSON())
    let session = daemon.session()
    for _ in 1...5 { _ = try await session.request("rq-1") }
    #expect(daemon.connectionCount == 1)
  }

  @Test func callsAtTheSameTimeDoNotWaitForEachOther() async throws {
    let all = Signal()
    var arrived = 0
    let daemon = try StubDaemon { _ in
      arrived += 1
      if arrived == 10 { all.fire() }
      await all.wait()
      return HTTPResponse(200, text: requestJSON())
    }
    let session = daemon.session()
    try await withThrowingTaskGroup { group in
      for _ in 1...10 { group.addTask { _ = try await session.request("rq-1") } }
      try await group.waitForAll()
    }
    #expect(arrived == 10)
    while daemon.connectionCount > 4 { try await LoopActor.sleep(for: .milliseconds(1)) }
  }

  @Test func aDaemonThatStartedAgainIsFoundAgain() async throws {
    let daemon = try StubDaemon(200, requestJSON())
    let session = daemon.session()
    for _ in 1...3 {
      _ = try await session.request("rq-1")
      await daemon.stop()
      try daemon.start()
    }
    _ = try await session.start(.createOrg(name: "A"))
  }

  @Test func aCallThatTheDaemonDroppedIsSentAgainWithTheSameKey() async throws {
    let daemon = try StubDaemon(200, "")
    var calls = 0
    daemon.answer { _ in
      calls += 1
      if calls == 1 { return brokenOff() }
      return HTTPResponse(201, text: requestJSON())
    }
    let request = try await daemon.session().start(.createOrg(name: "A"))
    #expect(request.requestId == "rq-1")
    #expect(daemon.requests.count == 2)
    #expect(
      daemon.requests[0].headers[.idempotencyKey] == daemon.requests[1].headers[.idempotencyKey])
    #expect(daemon.requests[0].body == daemon.requests[1].body)
  }

  @Test func aCallThatMustNotBeRepeatedIsNot() async throws {
    let daemon = try StubDaemon { _ in brokenOff() }
    let node = NodeSession(
      package: "p", nodeURL: "u", trust: .development, tokens: SessionTokens(accessToken: "a"))
    await #expect(throws: BrokerError.self) { _ = try await daemon.client().openSession(node) }
    await #expect(throws: BrokerError.self) { try await daemon.session().close() }
    #expect(daemon.requests.count == 2)
  }

  @Test func anotherUsersDaemonIsToldNothing() async throws {
    let daemon = try StubDaemon(200, requestJSON())
    let client = BrokerClient(socket: daemon.path, expecting: 4_000_000_000)
    let session = client.session(key: try #require(SessionKey("k-secret")))
    do throws(BrokerError) {
      _ = try await session.request("rq-1")
      Issue.record("no error")
    } catch {
      #expect(error.code == .daemonUntrusted)
    }
    #expect(daemon.requests.isEmpty)
  }

  @Test(
    arguments: [
      ("/run/user/7", 7, "/run/user/7/mero-consent/api.sock"),
      ("/tmp/x//", 7, "/tmp/x/mero-consent/api.sock"),
      ("relative", 7, "/run/user/7/mero-consent/api.sock"),
      ("", 7, "/run/user/7/mero-consent/api.sock"),
      (nil, 1000, "/run/user/1000/mero-consent/api.sock"),
    ] as [(String?, UInt32, String)])
  func findsTheSocket(_ directory: String?, _ uid: UInt32, _ expected: String) {
    #expect(SocketLocation.standard(runtimeDirectory: directory, uid: uid) == expected)
  }
}

/// An answer whose connection ends before its first byte.
@LoopActor private func brokenOff() -> HTTPResponse {
  let body = HTTPBodyStream()
  body.breakOff()
  return HTTPResponse(200, stream: body)
}
