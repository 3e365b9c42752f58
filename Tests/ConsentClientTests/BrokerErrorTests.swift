import ConsentClient
import EventLoop
import Glibc
import HTTP
import MeroConsent
import Testing

@Suite @LoopActor struct BrokerErrorTests {
  @Test func aProblemKeepsAllThatItSays() async throws {
    let more = #","field":"request.name","nodeStatus":418,"requestId":"rq-1""#
    let daemon = try StubDaemon(
      429, problemJSON("TOO_MANY", status: 429, more: more), headers: [.retryAfter: "7"])
    do throws(BrokerError) {
      _ = try await daemon.session().request("rq-1")
      Issue.record("no error")
    } catch {
      #expect(error.code == .tooMany && error.status == 429 && error.retryAfter == 7)
      #expect(error.field == "request.name" && error.requestId == "rq-1")
      #expect(error.nodeStatus == 418 && error.advice == "Say so.")
      #expect("\(error)" == "TOO_MANY: Say so.")
    }
  }

  @Test(arguments: ConsentError.Code.allCases)
  func theProtocolsCodesAreKnown(_ code: ConsentError.Code) async throws {
    let daemon = try StubDaemon(502, problemJSON(code.rawValue, status: 502))
    await #expect(throws: BrokerError(of: code)) { _ = try await daemon.session().request("x") }
    #expect(BrokerError(of: code).consentCode == code)
  }

  @Test func aCodeOfANewerDaemonIsKept() async throws {
    let daemon = try StubDaemon(418, problemJSON("TEAPOT", status: 418))
    do throws(BrokerError) {
      _ = try await daemon.client().status()
    } catch {
      #expect(error.code.rawValue == "TEAPOT" && error.consentCode == nil)
    }
  }

  @Test(arguments: [
    (200, "nonsense"), (200, "{}"), (200, "[]"), (200, ""), (500, "no problem document"),
    (503, #"{"code":"X"}"#), (302, ""), (204, ""), (201, "{}"),
    (200, #"{"requestId":1,"kind":"k","state":"s","createdAt":"2026-12-01T09:00:00Z"}"#),
    (200, #"{"requestId":"1","kind":"k","state":"s","createdAt":"yesterday"}"#),
    (
      200,
      #"{"requestId":"1","kind":"k","state":"s","createdAt":"2026-12-01T09:00:00Z","#
        + #""outcome":{"kind":"orgCreated"}}"#
    ),
  ])
  func anAnswerThatCannotBeReadIsAnError(_ status: Int, _ body: String) async throws {
    let daemon = try StubDaemon(try #require(HTTPStatus(status)), body)
    await #expect(throws: BrokerError.invalidAnswer) {
      _ = try await daemon.session().request("rq-1")
    }
  }

  @Test func anUnreadableAnswerIsNotRepeated() async throws {
    let daemon = try StubDaemon(200, #"{"token":"t-secret"}"#)
    do throws(BrokerError) {
      _ = try await daemon.session().request("rq-1")
    } catch {
      #expect(!"\(error)".contains("t-secret") && !String(reflecting: error).contains("t-secret"))
    }
  }

  @Test func withoutADaemonThereIsAClearError() async throws {
    let nowhere = BrokerClient(socket: "/tmp/no-such-directory-here/api.sock")
    await #expect(throws: BrokerError.unavailable) { _ = try await nowhere.status() }
    let long = BrokerClient(socket: "/tmp/" + String(repeating: "x", count: 200))
    await #expect(throws: BrokerError.unavailable) { _ = try await long.status() }
    // A socket that a dead daemon left.
    let daemon = try StubDaemon(200, "{}")
    await daemon.stop()
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    await #expect(throws: BrokerError.unavailable) { _ = try await daemon.client().status() }
  }

  @Test func aSilentDaemonIsGivenUp() async throws {
    let daemon = try StubDaemon { _ in
      try? await LoopActor.sleep(for: .seconds(60))
      return HTTPResponse(200)
    }
    var options = BrokerClient.Options()
    options.callTime = .milliseconds(50)
    await #expect(throws: BrokerError.timedOut) {
      _ = try await daemon.client(options).status()
    }
  }

  @Test func whatCannotBeSentIsRefusedHere() async throws {
    let daemon = try StubDaemon(201, requestJSON())
    await #expect(throws: BrokerError.fieldInvalid) {
      _ = try await daemon.session().start(
        .createOrg(name: "A"), idempotencyKey: "a\r\nAuthorization: Bearer x")
    }
    #expect(daemon.requests.isEmpty)
    for text in ["", "a b", "a\r\nb", "ä", String(repeating: "x", count: 257)] {
      #expect(SessionKey(text) == nil)
    }
  }

  @Test func aCancelledCallEndsAtOnce() async throws {
    let started = Signal()
    let cancelled = Signal()
    let daemon = try StubDaemon { _ in
      started.fire()
      do { try await LoopActor.sleep(for: .seconds(60)) } catch { cancelled.fire() }
      return HTTPResponse(200)
    }
    let call = Task { _ = try await daemon.client().status() }
    await started.wait()
    call.cancel()
    await #expect(throws: BrokerError.cancelled) { try await call.value }
    // The daemon sees that nobody waits any more.
    await cancelled.wait()
  }

  // MARK: Secrets

  @Test func nothingPrintsASecret() async throws {
    let more = #","outcome":{"kind":"inviteCreated","token":"t-secret"}"#
    let daemon = try StubDaemon(200, requestJSON("approved", kind: "createInvite", more: more))
    let session = daemon.session()
    let request = try await session.request("rq-1")
    #expect(request.result.inviteToken == "t-secret")
    let node = NodeSession(
      package: "p", nodeURL: "u", trust: .development,
      tokens: SessionTokens(accessToken: "a-secret", refreshToken: "r-secret"))
    let values: [Any] = [session, session.key, request, node, session.client]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.contains("secret"), "\(text)")
      }
    }
  }
}

extension BrokerError {
  // Errors are equal when their codes are; tests make them by decoding one.
  init(of code: ConsentError.Code) { self.init(testing: BrokerError.Code(code)) }

  static let invalidAnswer = BrokerError(testing: .answerInvalid)
  static let unavailable = BrokerError(testing: .daemonUnavailable)
  static let timedOut = BrokerError(testing: .timedOut)
  static let fieldInvalid = BrokerError(testing: .fieldInvalid)
  static let cancelled = BrokerError(testing: .callCancelled)
  static let keyRequired = BrokerError(testing: .keyRequired)
}
