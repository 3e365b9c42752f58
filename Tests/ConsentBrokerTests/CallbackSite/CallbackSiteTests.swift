import Desktop
import EventLoop
import HTTP
import MeroConsent
import Testing

@testable import Callback
@testable import ConsentBroker

/// Connections here have no other end that the kernel could tell of.
private struct Everybody: ClientRule {
  let admitted: Bool

  func admits(_ connection: HTTPConnectionInfo) -> Bool { admitted }
  func canTell(on listener: Listener) -> Bool { true }
}

/// The edge of the callback, over a real broker and without a socket.
@Suite(.aFewAtATime) @LoopActor struct CallbackSiteTests {
  let fixture: BrokerFixture
  let site: CallbackSite
  let listener = HTTPConnectionInfo(localPort: 17463, isAdmitted: true)
  /// One that was not admitted.
  let strange = HTTPConnectionInfo(localPort: 17463)

  init() async throws {
    fixture = try await BrokerFixture()
    site = CallbackSite(judge: fixture.broker, clients: Everybody(admitted: true))
  }

  /// As the server does: the head first, then the rest.
  func call(
    _ method: HTTPMethod, _ path: String, query: String? = nil, headers: HTTPHeaders = [:],
    host: String? = "127.0.0.1:17463"
  ) async -> HTTPResponse {
    let request = HTTPRequest(
      method: method, path: path, query: query, headers: headers, host: host)
    if let refused = site.refuse(head: request, on: listener) { return refused }
    return await site.respond(to: request, on: listener)
  }

  func state(_ response: HTTPResponse) -> String? {
    guard case .bytes(let bytes) = response.body else { return nil }
    let html = String(decoding: bytes, as: UTF8.self)
    return html.firstMatch(of: /data-state="([a-z-]+)"/).map { String($0.1) }
  }

  @Test(
    arguments: [
      ("GET", "/nothing", "127.0.0.1:17463", 404, "not-found"),
      ("POST", "/return", "127.0.0.1:17463", 405, "refused"),
      // Where nothing is, no method is told; and the wrong host is told nothing at all.
      ("POST", "/nothing", "127.0.0.1:17463", 404, "not-found"),
      ("POST", "/nothing", "evil.example:17463", 421, "refused"),
      ("GET", "/return", nil, 421, "refused"),
      ("GET", "/return/none", "[::1]:17463", 404, "unknown"),
      ("GET", "/done/none", "localhost:17463", 404, "unknown"),
    ] as [(String, String, String?, Int, String)])
  func answersInThisOrder(
    _ method: String, _ path: String, _ host: String?, _ status: Int, _ state: String
  ) async throws {
    let response = await call(try #require(HTTPMethod(method)), path, host: host)
    #expect(response.status.code == status)
    #expect(self.state(response) == state)
    if status == 405 { #expect(response.headers[.allow] == "GET, HEAD") }
  }

  @Test func aConnectionWithoutAPortIsNoneOfItsOwn() {
    let request = HTTPRequest(method: .get, path: "/return", host: "127.0.0.1:17463")
    #expect(site.refuse(head: request, on: HTTPConnectionInfo(isAdmitted: true))?.status == 421)
  }

  @Test func whatIsNoNavigationReachesNoBroker() async throws {
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    fixture.node.approve(view.requestId)
    let calls = fixture.node.calls.count
    let path = "/return/\(try fixture.ticket(of: view))"
    #expect(await call(.get, path, headers: ["Sec-Purpose": "prefetch"]).status == 204)
    let ahead = await call(
      .get, path, headers: ["Sec-Purpose": "prefetch", "Sec-Fetch-Mode": "navigate"])
    #expect(ahead.status == 503)
    #expect(await call(.get, path, headers: [.origin: "null"]).status == 403)
    #expect(await call(.get, path, headers: ["Sec-Fetch-Dest": "iframe"]).status == 403)
    #expect(await call(.head, path).status == 303)
    #expect(fixture.node.calls.count == calls)
    #expect(try await fixture.row(view.requestId, caller)?.lastReturn == nil)
  }

  /// The same to the byte whatever there is, asked for in whatever way, and nothing comes of it.
  @Test func aConnectionOfAnotherUserIsToldThatAlone() async throws {
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    fixture.node.approve(view.requestId)
    let ticket = try fixture.ticket(of: view)
    let calls = fixture.node.calls.count
    var told: Set<[UInt8]> = []
    for path in ["/return", "/return/\(ticket)", "/done/\(ticket)", "/return/none", "/nothing"] {
      for host in ["127.0.0.1:17463", "evil.example"] {
        for purpose in ["", "prefetch"] as [HTTPFieldValue] {
          let request = HTTPRequest(
            method: .get, path: path, query: "request_id=\(view.requestId)",
            headers: ["Sec-Purpose": purpose], host: host)
          let response = try #require(site.refuse(head: request, on: strange))
          #expect(response.status == 403)
          guard case .bytes(let bytes) = response.body else { continue }
          told.insert(bytes)
        }
      }
    }
    #expect(told == [Array(Page(.anotherUser, in: .english).html.utf8)])
    #expect(fixture.node.calls.count == calls)
    #expect(try await fixture.row(view.requestId, caller)?.lastReturn == nil)
  }

  @Test func aConnectionOfAnotherUserIsToldSoInItsLanguage() throws {
    for language in PageLanguage.allCases {
      let tag = try #require(HTTPFieldValue(language.rawValue))
      let request = HTTPRequest(
        method: .get, path: "/return", headers: ["Accept-Language": tag], host: "127.0.0.1:17463")
      let response = try #require(site.refuse(head: request, on: strange))
      guard case .bytes(let bytes) = response.body else { continue }
      #expect(bytes == Array(Page(.anotherUser, in: language).html.utf8))
    }
  }

  /// With the rule that a daemon has.
  @Test func aConnectionThatNobodyVouchesForIsAStrangers() {
    guard case .stranger = CallbackSite(judge: fixture.broker).admit(listener) else {
      Issue.record("it is served")
      return
    }
  }

  @Test func aReturnLeadsToItsPage() async throws {
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    fixture.node.approve(view.requestId)
    let ticket = try fixture.ticket(of: view)
    let answer = await call(
      .get, "/return/\(ticket)", query: "request_id=\(view.requestId)&result=declined")
    #expect(answer.status == 303)
    #expect(answer.headers[.location] == "/done/\(ticket)")
    #expect(state(await call(.get, "/done/\(ticket)")) == "approved")
  }

  @Test func tooManyReturnsAreToldWhenToComeAgain() async throws {
    var last = await call(.get, "/return", query: "request_id=none")
    for _ in 0..<ReturnLimiter.Limits.bare where last.status == 303 {
      last = await call(.get, "/return", query: "request_id=none")
    }
    #expect(last.status == 429)
    #expect(last.headers[.retryAfter] == "1")
    #expect(state(last) == "limited")
  }

  @Test func everyAnswerIsSecureAlsoTheServersOwn() async throws {
    var answers = [
      await call(.get, "/nothing"), await call(.get, "/return"), await call(.post, "/return"),
      await call(.get, "/return", headers: ["Purpose": "prefetch"]),
      await call(.get, "/return", query: "request_id="), await call(.head, "/return"),
    ]
    for status in [400, 408, 414, 429, 431, 505] {
      answers.append(
        site.answer(to: HTTPRefusal(try #require(HTTPStatus(status)), "Why."), on: listener))
      #expect(answers.last?.status.code == status)
    }
    for answer in answers {
      #expect(answer.headers[.cacheControl] == "no-store")
      #expect(
        answer.headers["Content-Security-Policy"]?.hasPrefix(
          "default-src 'none'; style-src \(PageStyle.source);") == true)
      #expect(answer.headers["Referrer-Policy"] == "no-referrer")
      #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
      #expect(answer.headers["Cross-Origin-Opener-Policy"] == "same-origin")
      #expect(answer.closesConnection)
      for name in ["Set-Cookie", "Strict-Transport-Security", "ETag"] as [HTTPFieldName] {
        #expect(!answer.headers.contains(name))
      }
    }
  }

  @Test func aDaemonThatCannotWorkBlamesNoRequest() async {
    let broken = CallbackSite(
      judge: Broker(
        unavailable: ConsentError(.stateUnavailable), settings: BrokerSettings(version: "1"),
        tools: BrokerTools { _, _ throws(PageUnavailable) in .unknown }, log: Log(level: .error)))
    let request = HTTPRequest(method: .get, path: "/return/x", host: "127.0.0.1:17463")
    let response = await broken.respond(to: request, on: listener)
    #expect(response.status == 503)
    #expect(state(response) == "not-confirmed")
  }

  @Test func theLogHasTheVerdictAndNotTheQuery() async {
    _ = await call(.get, "/return", query: "request_id=SECRET&result=approved")
    #expect(fixture.records.text.contains("callback: a return, 303"))
    #expect(!fixture.records.text.contains("SECRET"))
  }
}
