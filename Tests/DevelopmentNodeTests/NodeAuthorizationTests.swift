import DevelopmentNode
import Testing

@Suite struct NodeAuthorizationTests {
  private let body = #"{"kind":"createOrg","name":"A"}"#

  @Test func saysThatATokenIsExpired() {
    var fixture = NodeFixture()
    fixture.node.accounts.expireTokens(of: fixture.account, at: fixture.now)
    let answer = fixture.call("POST", "/consent/requests", body).answer
    #expect(answer.status == 401)
    #expect(answer.header("x-auth-error") == "token_expired")
    #expect(fixture.node.consents.all.isEmpty)
  }

  @Test func refusesAnUnknownTokenARevokedOneAndNone() {
    var fixture = NodeFixture()
    let unknown = fixture.call("POST", "/consent/requests", body, bearer: "made-up").answer
    #expect(unknown.header("x-auth-error") == "invalid_token")
    fixture.node.accounts.revokeTokens(of: fixture.account)
    let revoked = fixture.call("POST", "/consent/requests", body).answer
    #expect(revoked.header("x-auth-error") == "token_revoked")
    let bare = APIRequest(method: "POST", path: "/consent/requests", body: Array(body.utf8))
    let none = fixture.node.run(bare, at: fixture.now).answer
    #expect([unknown.status, revoked.status, none.status] == [401, 401, 401])
  }

  @Test func aRefreshAnswersNewTokensInData() throws {
    var fixture = NodeFixture()
    let pair = fixture.tokens
    let refresh = #"{"access_token":"\#(pair.access)","refresh_token":"\#(pair.refresh)"}"#
    let data = try #require(fixture.call("POST", "/auth/refresh", refresh).answer.json?["data"])
    let access = try #require(data["access_token"]?.string)
    #expect(data["refresh_token"]?.string != pair.refresh)
    #expect(fixture.call("POST", "/consent/requests", body, bearer: access).answer.status == 200)
    #expect(fixture.call("POST", "/auth/refresh", refresh).answer.status == 401)
  }

  @Test(arguments: ["", "{}", #"{"access_token":1,"refresh_token":"x"}"#])
  func refusesAMalformedRefresh(_ body: String) {
    var fixture = NodeFixture()
    #expect(fixture.call("POST", "/auth/refresh", body).answer.status == 400)
  }

  @Test(arguments: [
    ("GET", "/consent/requests"), ("POST", "/consent/x/result"), ("GET", "/consent//result"),
    ("GET", "/consent/a/b/result"), ("GET", "/elsewhere"), ("GET", "/consent/%zz/result"),
  ])
  func hasNoOtherCalls(_ method: String, _ path: String) {
    var fixture = NodeFixture()
    #expect(fixture.call(method, path).answer.status == 404)
  }
}
