import Desktop
import EventLoop
import FoundationEssentials
import HTTP
import MeroConsent
import Testing

@testable import ConsentBroker

/// The edge of the local API, over a real broker and without a socket.
@Suite(.aFewAtATime) @LoopActor struct LocalAPITests {
  let fixture: BrokerFixture
  let api: LocalAPI
  let own = HTTPConnectionInfo(peer: PeerCredentials(pid: 1, uid: 1000, gid: 1000))

  init() async throws {
    fixture = try await BrokerFixture()
    api = LocalAPI(broker: fixture.broker, uid: 1000)
  }

  func call(
    _ method: HTTPMethod, _ path: String, key: String? = nil, body: String = "",
    headers: HTTPHeaders = [:]
  ) async throws -> (response: HTTPResponse, json: [String: Field]) {
    var headers = headers
    if let key { headers.set(.authorization, try #require(HTTPFieldValue("Bearer \(key)"))) }
    if !body.isEmpty { headers.set(.contentType, "application/json") }
    let parts = path.split(separator: "?", maxSplits: 1)
    let response = await api.respond(
      to: HTTPRequest(
        method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil,
        headers: headers, body: Array(body.utf8)), on: own)
    return (response, try Self.fields(response))
  }

  /// Texts and numbers of a body's first level.
  enum Field: Decodable, Equatable {
    case text(String)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      self = (try? container.decode(String.self)).map(Field.text) ?? .other
    }
  }

  static func fields(_ response: HTTPResponse) throws -> [String: Field] {
    guard case .bytes(let bytes) = response.body, !bytes.isEmpty else { return [:] }
    return try JSONDecoder().decode([String: Field].self, from: Data(bytes))
  }

  // MARK: Waiting

  @Test func anAnswerThatComesBeforeAnybodyWantsItIsKept() async throws {
    let (caller, key) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let field = try #require(HTTPFieldValue("Bearer \(key)"))
    let request = HTTPRequest(
      method: .get, path: "/v1/requests/" + view.requestId,
      headers: [.authorization: field, .ifNoneMatch: "*", .prefer: "wait=60"])
    guard case .parked(let answer) = api.reply(to: request, on: own) else {
      Issue.record("it does not wait")
      return
    }
    _ = try await fixture.broker.cancel(view.requestId, for: caller)
    while fixture.broker.status().waits > 0 { await Task.yield() }
    var answers: [HTTPStatus] = []
    answer.onAnswer = { answers.append($0.status) }
    #expect(answers == [200])
  }

  // MARK: Who connects

  @Test func admitsItsOwnUserAlone() {
    guard case .served = api.admit(own) else {
      Issue.record("it refuses its own user")
      return
    }
    for peer in [
      nil, PeerCredentials(pid: 1, uid: 0, gid: 0), PeerCredentials(pid: 1, uid: 1001, gid: 1000),
    ] {
      guard case .refused(let response) = api.admit(HTTPConnectionInfo(peer: peer)) else {
        Issue.record("it admits \(String(describing: peer))")
        continue
      }
      #expect(response.status == 403)
    }
    #expect(fixture.records.text.contains("user 1001"))
  }

  @Test(arguments: ["https://evil.example", "null", ""] as [HTTPFieldValue])
  func refusesWebPagesBeforeTheirBody(_ origin: HTTPFieldValue) {
    let head = HTTPRequest(method: .get, path: "/v1/status", headers: [.origin: origin])
    #expect(api.refuse(head: head, on: own)?.status == 403)
    #expect(api.refuse(head: HTTPRequest(method: .get, path: "/v1/status"), on: own) == nil)
  }

  // MARK: Whose call

  @Test func looksAtTheKeyBeforeTheBody() async throws {
    let (response, json) = try await call(.post, "/v1/requests", body: "not JSON")
    #expect(response.status == 401)
    #expect(response.headers[.wwwAuthenticate] == "Bearer realm=\"mero-consent\"")
    #expect(json["code"] == .text("KEY_REQUIRED"))
  }

  @Test func aKeyOpensItsOwnSessionAndNoOther() async throws {
    let (caller, key) = try await fixture.openSession()
    let (other, otherKey) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    #expect(try await call(.get, "/v1/session", key: key).json["session"] == .text(caller.session))
    #expect(
      try await call(.get, "/v1/session", key: otherKey).json["session"] == .text(other.session))
    let path = "/v1/requests/\(view.requestId)"
    #expect(try await call(.get, path, key: key).response.status == 200)
    #expect(try await call(.get, path, key: otherKey).response.status == 404)
  }

  // MARK: Answers

  @Test func everyAnswerIsOnlyForNow() async throws {
    let (_, key) = try await fixture.openSession()
    for (method, path) in [
      (HTTPMethod.get, "/v1/status"), (.get, "/v1/session"), (.get, "/nothing"),
      (.put, "/v1/session"), (.get, "/v1/requests?limit=0"), (.get, "/v1/requests"),
      (.delete, "/v1/session"),
    ] {
      let (response, _) = try await call(method, path, key: key)
      #expect(response.headers[.cacheControl] == "no-store", "\(method.name) \(path)")
    }
  }

  @Test func aRefusalOfTheServersOwnIsAProblemDocumentToo() throws {
    for status in [400, 405, 408, 413, 414, 417, 429, 431, 501, 505] {
      let refusal = HTTPRefusal(try #require(HTTPStatus(status)), "Why.", headers: [.allow: "X"])
      let response = api.answer(to: refusal, on: own)
      #expect(response.status.code == status)
      #expect(response.headers[.contentType] == "application/problem+json")
      #expect(response.headers[.allow] == "X")
      guard case .text(let detail) = try Self.fields(response)["detail"] else {
        Issue.record("\(status) has no detail")
        continue
      }
      #expect(detail.hasPrefix("Why."))
      // What to do is said where a reader could not know it.
      #expect([408, 413, 414, 429, 431].contains(status) == (detail != "Why."), "\(status)")
    }
  }

  @Test func aDaemonThatCannotWorkSaysWhy() async throws {
    let broken = LocalAPI(
      broker: Broker(
        unavailable: ConsentError(.configurationInvalid),
        settings: BrokerSettings(version: "1"),
        tools: BrokerTools { _, _ throws(PageUnavailable) in .unknown }, log: Log(level: .error)),
      uid: 1000)
    for route in RouteTable.routes where route.path.template != "/v1/status" {
      switch route.access {
      case .session, .sessionNow: break
      case .anybody, .anybodyNow: continue
      }
      let path = route.path.template.split(separator: "{id}", omittingEmptySubsequences: false)
        .joined(separator: "x")
      let response = await broken.respond(
        to: HTTPRequest(
          method: route.method, path: path, headers: [.authorization: "Bearer x"]), on: own)
      #expect(response.status == 503, "\(path)")
      #expect(try Self.fields(response)["code"] == .text("CONFIGURATION_INVALID"))
    }
  }

  @Test func theEndOfTheDaemonIsToldToThoseWhoWait() async throws {
    let (caller, key) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let etag = try #require(HTTPFieldValue(view.etag))
    async let waiting = call(
      .get, "/v1/requests/\(view.requestId)", key: key,
      headers: [.ifNoneMatch: etag, .prefer: "wait=60"])
    while fixture.broker.status().waits == 0 { await Task.yield() }
    fixture.broker.stop()
    let (response, json) = try await waiting
    #expect(response.status == 503)
    #expect(response.headers[.retryAfter] == "1")
    #expect(json["code"] == .text("STOPPING"))
  }

  @Test func theLogHasTheRouteAndNotTheRequest() async throws {
    let (caller, key) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    _ = try await call(.get, "/v1/requests/\(view.requestId)?x=SECRET", key: key)
    #expect(fixture.records.text.contains("GET /v1/requests/{id}: 200"))
    #expect(!fixture.records.text.contains("SECRET"))
    #expect(!fixture.records.text.contains(key))
  }
}
