import DevelopmentNode
import EventLoop
import HTTP
import MeroConsent
import Testing

@LoopActor @Suite struct ControlTests {
  private let node: DevelopmentNode

  init() throws {
    node = try DevelopmentNode()
  }

  private func call(
    _ path: String, _ body: String = "", method: HTTPMethod = .post, headers: HTTPHeaders = [:]
  ) -> APIAnswer {
    let request = HTTPRequest(
      method: method, path: path, headers: headers, body: Array(body.utf8))
    return node.answer(request).answer
  }

  /// A request of the node's first account.
  private func ask(_ more: String = "") throws -> String {
    let body = #"{"kind":"createOrg","name":"Acme"\#(more)}"#
    let request = APIRequest(
      method: "POST", path: "/consent/requests",
      headers: [("authorization", "Bearer \(node.tokens.access)")], body: Array(body.utf8))
    return try #require(node.run(request).record?.id)
  }

  @Test func tokensAreGivenOutForNewAccountsAndNamedOnes() throws {
    let new = try #require(call("/dev/tokens").json)
    let account = try #require(new["account"]?.string)
    #expect(account != node.account)
    let access = try #require(new["accessToken"]?.string)
    #expect(node.state.accounts.bearer(access, at: node.now) == .account(account))
    let more = call("/dev/tokens", #"{"account":"\#(account)"}"#).json
    #expect(more?["account"]?.string == account)
    #expect(more?["accessToken"] != new["accessToken"])
  }

  @Test func tokensExpireAndAreRevokedOnDemand() {
    #expect(call("/dev/tokens/expire").status == 200)
    #expect(node.state.accounts.bearer(node.tokens.access, at: node.now) == .expired)
    #expect(call("/dev/tokens/revoke", #"{"account":"\#(node.account)"}"#).status == 200)
    #expect(node.state.accounts.bearer(node.tokens.access, at: node.now) == .revoked)
  }

  @Test func decidesTheNewestUndecidedRequestAndSaysWhereABrowserWouldEnd() throws {
    _ = call("/dev/callback", #"{"url":"http://127.0.0.1:9/return"}"#)
    let id = try ask(#","returnTo":"\#(node.state.place.returnTo)""#)
    let answer = try #require(call("/dev/decide", #"{"decision":"approve"}"#).json)
    #expect(answer["requestId"]?.string == id)
    let hint = "request_id=\(id)&result=approved"
    #expect(answer["location"]?.string == "\(node.state.place.returnTo)&\(hint)")
    #expect(answer["callback"]?.string == "http://127.0.0.1:9/return?\(hint)")
    #expect(node.state.consents.record(id)?.standing != .undecided)
  }

  @Test func decidesTheRequestThatIsNamedOnce() throws {
    let id = try ask()
    let body = #"{"requestId":"\#(id)","decision":"decline"}"#
    #expect(call("/dev/decide", body).json == ["requestId": .string(id)])
    #expect(node.state.consents.record(id)?.standing == .declined)
    #expect(call("/dev/decide", body).status == 409)
    #expect(call("/dev/decide", #"{"decision":"approve"}"#).status == 404)
  }

  @Test func replacesAndExpiresRequests() throws {
    let first = try ask()
    #expect(call("/dev/replace").json == ["requestId": .string(first)])
    #expect(node.state.consents.record(first)?.standing == .replaced)
    #expect(call("/dev/expire", #"{"requestId":"\#(first)"}"#).status == 410)
    let second = try ask()
    #expect(call("/dev/expire", #"{"requestId":"\#(second)"}"#).status == 200)
    #expect(call("/dev/replace", #"{"requestId":"\#(second)"}"#).status == 410)
  }

  @Test func aCallbackIsSetForAllOrForOneRequest() throws {
    #expect(call("/dev/callback", #"{"url":"http://127.0.0.1:9/return"}"#).status == 200)
    #expect(node.state.settings.callback == Callback("http://127.0.0.1:9/return"))
    let id = try ask()
    let one = #"{"url":"http://127.0.0.1:9/return/t","requestId":"\#(id)"}"#
    #expect(call("/dev/callback", one).status == 200)
    #expect(node.state.callbacks[id] == Callback("http://127.0.0.1:9/return/t"))
    #expect(call("/dev/callback", #"{"url":"https://notes.example/"}"#).status == 422)
    #expect(call("/dev/callback", #"{"url":"mero:/x","requestId":"none"}"#).status == 404)
  }

  @Test func misbehavesAsToldUntilToldToBehave() throws {
    let rule = #"{"name":"status","on":"result","skip":1,"times":"forever","number":503}"#
    #expect(call("/dev/misbehave", rule).status == 200)
    let kept = try #require(node.state.plan.rules.first)
    #expect(kept.misbehaviour == .status && kept.call == .result)
    #expect(kept.skip == 1 && kept.times == nil && kept.number == 503)
    #expect(call("/dev/behave").status == 200)
    #expect(node.state.plan.rules.isEmpty)
  }

  @Test(arguments: [
    #"{}"#, #"{"name":"sulk"}"#, #"{"name":"status","on":"page"}"#, #"{"name":"slow","times":0}"#,
    #"{"name":"slow","skip":-1}"#, #"{"name":"slow","number":"x"}"#, #"{"name":"slow","more":1}"#,
  ])
  func refusesARuleThatCannotBe(_ rule: String) {
    #expect(call("/dev/misbehave", rule).status == 422)
    #expect(node.state.plan.rules.isEmpty)
  }

  @Test func settingsHoldFromThenOn() {
    let body = #"{"ttl":1000,"tokenTtl":2000,"sessionTtl":61000,"clockSkew":-5000,"wrapped":true}"#
    let settings = call("/dev/settings", body).json
    #expect(
      settings == [
        "ttl": 1000, "tokenTtl": 2000, "sessionTtl": 61000, "clockSkew": -5000, "wrapped": true,
      ])
    #expect(call("/dev/settings", #"{"ttl":0}"#).status == 422)
    #expect(call("/dev").status == 405)
  }

  @Test func aRestartMakesANewKeyAndKeepsRequestsAndTokens() throws {
    let id = try ask()
    let old = node.transportKey
    let new = call("/dev/restart").json?["transportKey"]?.string
    #expect(new == node.transportKeyHex)
    #expect(node.transportKey != old)
    #expect(node.state.consents.record(id) != nil)
    #expect(node.state.accounts.bearer(node.tokens.access, at: node.now) == .account(node.account))
  }

  @Test func theOverviewShowsWhatTheNodeHoldsButNoInviteToken() throws {
    let id = try ask()
    _ = node.state.organizations.invites
    let overview = try #require(call("/dev", method: .get).json)
    #expect(overview["url"]?.string == node.state.place.base)
    guard case .array(let requests)? = overview["requests"] else {
      Issue.record("no requests")
      return
    }
    #expect(requests.map { $0["requestId"]?.string } == [id])
    #expect(requests.first?["standing"] == "undecided")
  }

  @Test func controlsAreNotForWebPages() {
    let answer = call("/dev/restart", headers: [.origin: "http://127.0.0.1:1"])
    #expect(answer.status == 403)
  }

  @Test(arguments: [
    ("/dev/nothing", "", 404), ("/dev/decide", "x", 400), ("/dev/decide", "[]", 400),
    ("/dev/behave", #"{"x":1}"#, 422),
  ])
  func refusesWhatIsNoControl(_ path: String, _ body: String, _ status: Int) {
    #expect(call(path, body).status == status)
  }
}
