import EventLoop
import FoundationEssentials
import HTTP
import MeroConsent

/// `/v1/sessions` and `/v1/session`: a node session that an app lends to the daemon.
@LoopActor enum SessionsResource {
  static func open(
    _ call: APICall, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    try asking { () throws(Problem) in try broker.checkAvailable() }
    let opening = try SessionBody(call).opening
    let opened = try await asking { () async throws(Problem) in
      try await broker.openSession(opening)
    }
    return APIResponse.json(
      OpenedBody(session: opened.session, key: opened.key), status: 201,
      headers: [.location: "/v1/session"])
  }

  static func show(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    let view = try asking { () throws(Problem) in try broker.session(of: caller) }
    return APIResponse.json(SessionJSON(view), status: 200)
  }

  static func replaceTokens(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    let tokens = try TokensBody(call).tokens
    let view = try await asking { () async throws(Problem) in
      try await broker.replaceTokens(of: caller, with: tokens)
    }
    return APIResponse.json(SessionJSON(view), status: 200)
  }

  static func check(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    let check = try await asking { () async throws(Problem) in try await broker.check(caller) }
    return APIResponse.json(
      CheckBody(checkedAt: check.checkedAt, nodeClock: check.nodeClock), status: 200)
  }

  static func close(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    try await asking { () async throws(Problem) in try await broker.closeSession(of: caller) }
    return APIResponse.empty(204)
  }

  private struct CheckBody: JSONObject {
    let checkedAt: Date
    let nodeClock: Date?

    func write(to json: inout JSONText) {
      json.member("checkedAt", checkedAt)
      json.member("nodeClock", nodeClock)
    }
  }

  private struct OpenedBody: JSONObject {
    let session: String
    let key: String

    func write(to json: inout JSONText) {
      json.member("key", key)
      json.member("session", session)
    }
  }
}

/// A session as its own app sees it: never its tokens, never its key.
struct SessionJSON: JSONObject {
  let session: String
  let package: String
  let account: String?
  let node: Node
  let origins: [String]
  let returnTo: String?
  let createdAt: Date
  let needsSession: Bool

  struct Node: JSONObject {
    let url: String
    let trust: TrustJSON?

    func write(to json: inout JSONText) {
      json.member("trust", trust)
      json.member("url", url)
    }
  }

  init(_ view: SessionView) {
    session = view.session
    package = view.package
    account = view.account
    node = Node(url: view.nodeURL, trust: TrustJSON(view.trust))
    origins = view.origins
    returnTo = view.returnTo
    createdAt = view.createdAt
    needsSession = view.needsSession
  }

  func write(to json: inout JSONText) {
    json.member("account", account)
    json.member("createdAt", createdAt)
    json.member("needsSession", needsSession)
    json.member("node", node)
    json.member("origins", origins)
    json.member("package", package)
    json.member("returnTo", returnTo)
    json.member("session", session)
  }
}
