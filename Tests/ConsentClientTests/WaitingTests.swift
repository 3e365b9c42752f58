import ConsentClient
import EventLoop
import HTTP
import MeroConsent
import Testing

@Suite @LoopActor struct WaitingTests {
  private static func versioned(
    _ state: String, _ version: HTTPFieldValue, more: String = ""
  ) -> HTTPResponse {
    HTTPResponse(200, headers: [.etag: version], text: requestJSON(state, more: more))
  }

  @Test func asksForWhatChangedSinceItsVersion() async throws {
    let daemon = try StubDaemon { _ in Self.versioned("started", "\"1\"") }
    let session = daemon.session()
    let known = try await session.request("rq-1")
    daemon.answer { _ in Self.versioned("declined", "\"2\"") }
    #expect(try await session.change(of: known, within: .seconds(20))?.state == .declined)
    #expect(daemon.requests[1].headers[.ifNoneMatch] == "\"1\"")
    #expect(daemon.requests[1].headers[.prefer] == "wait=20")
    daemon.answer { _ in HTTPResponse(304, headers: [.etag: "\"1\""]) }
    #expect(try await session.change(of: known, within: .seconds(1000)) == nil)
    #expect(daemon.requests[2].headers[.prefer] == "wait=300")
    #expect(try await session.change(of: known, within: .zero) == nil)
    #expect(daemon.requests[3].headers[.prefer] == "wait=1")
  }

  @Test func aDecisionIsAnsweredAsSoonAsItIsThere() async throws {
    let waiting = Signal()
    let decide = Signal()
    let daemon = try StubDaemon { request in
      guard request.headers[.ifNoneMatch] != nil else { return Self.versioned("started", "\"1\"") }
      waiting.fire()
      await decide.wait()
      return Self.versioned(
        "approved", "\"2\"", more: #","outcome":{"kind":"orgCreated","orgId":"o"}"#)
    }
    let decision = Task { try await daemon.session().decision(of: "rq-1") }
    await waiting.wait()
    decide.fire()
    let request = try await decision.value
    #expect(request.state == .approved && request.result.orgId == "o")
    #expect(daemon.requests.count == 2)
  }

  @Test(arguments: ["approved", "declined", "replaced", "expired", "cancelled", "failed"])
  func everyEndEndsTheWait(_ state: String) async throws {
    let daemon = try StubDaemon { _ in Self.versioned(state, "\"1\"") }
    #expect(try await daemon.session().decision(of: "rq-1").state.rawValue == state)
    #expect(daemon.requests.count == 1)
  }

  @Test func needingTokensEndsTheWait() async throws {
    let daemon = try StubDaemon { _ in
      Self.versioned("started", "\"1\"", more: #","needsSession":true"#)
    }
    #expect(try await daemon.session().decision(of: "rq-1").needsSession)
  }

  @Test(arguments: [200, 304])
  func aDaemonThatDoesNotHoldIsNotHammered(_ status: Int) async throws {
    let daemon = try StubDaemon { request in
      if status == 304 && request.headers[.ifNoneMatch] != nil {
        return HTTPResponse(304, headers: [.etag: "\"1\""])
      }
      return Self.versioned("started", "\"1\"")
    }
    let began = BootInstant.now
    let waiting = Task { try await daemon.session().decision(of: "rq-1") }
    try await LoopActor.sleep(for: .seconds(2))
    waiting.cancel()
    _ = try? await waiting.value
    // At most 10 in 5 s, besides the first two.
    let most = 2 + Int((BootInstant.now - began) / .milliseconds(500))
    #expect(daemon.requests.count <= most)
  }

  @Test func goesOnWhenTheDaemonStartsAgain() async throws {
    let waiting = Signal()
    let daemon = try StubDaemon { request in
      guard request.headers[.ifNoneMatch] != nil else { return Self.versioned("started", "\"1\"") }
      waiting.fire()
      try? await LoopActor.sleep(for: .seconds(60))
      return HTTPResponse(
        503, headers: [.retryAfter: "1"], text: problemJSON("STOPPING", status: 503))
    }
    let decision = Task { try await daemon.session().decision(of: "rq-1") }
    await waiting.wait()
    await daemon.stop()
    // Nobody is there for a moment.
    try await LoopActor.sleep(for: .milliseconds(400))
    daemon.answer { _ in Self.versioned("approved", "\"2\"") }
    try daemon.start()
    #expect(try await decision.value.state == .approved)
  }

  @Test func isToldToComeBackLater() async throws {
    var calls = 0
    let daemon = try StubDaemon { _ in
      calls += 1
      if calls == 1 {
        return HTTPResponse(
          429, headers: [.retryAfter: "1"], text: problemJSON("TOO_MANY", status: 429))
      }
      return Self.versioned("approved", "\"2\"")
    }
    let begin = BootInstant.now
    _ = try await daemon.session().decision(of: "rq-1")
    #expect(BootInstant.now - begin >= .seconds(1))
  }

  @Test func patienceEnds() async throws {
    let daemon = try StubDaemon(200, "")
    await daemon.stop()
    var options = BrokerClient.Options()
    options.patience = .milliseconds(300)
    let session = daemon.session(options)
    await #expect(throws: BrokerError.unavailable) { _ = try await session.decision(of: "rq-1") }
  }

  @Test(arguments: [(404, "NOT_FOUND"), (401, "KEY_REQUIRED"), (503, "STATE_UNAVAILABLE")])
  func anErrorThatWaitingDoesNotMendIsThrown(_ status: Int, _ code: String) async throws {
    let daemon = try StubDaemon(
      try #require(HTTPStatus(status)), problemJSON(code, status: status))
    do throws(BrokerError) {
      _ = try await daemon.session().decision(of: "rq-1")
      Issue.record("no error")
    } catch {
      #expect(error.code.rawValue == code)
    }
    #expect(daemon.requests.count == 1)
  }

  @Test func aCancelledWaitEndsAtOnce() async throws {
    let waiting = Signal()
    let left = Signal()
    let daemon = try StubDaemon { request in
      guard request.headers[.ifNoneMatch] != nil else { return Self.versioned("started", "\"1\"") }
      waiting.fire()
      do { try await LoopActor.sleep(for: .seconds(60)) } catch { left.fire() }
      return HTTPResponse(304)
    }
    let decision = Task { try await daemon.session().decision(of: "rq-1") }
    await waiting.wait()
    decision.cancel()
    await #expect(throws: BrokerError.cancelled) { _ = try await decision.value }
    await left.wait()
  }
}
