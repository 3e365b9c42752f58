import DevelopmentNode
import MeroConsent
import Testing

@Suite struct BrowserSiteTests {
  private func askingWithReturn(_ fixture: inout NodeFixture) throws -> String {
    let returnTo = fixture.node.place.returnTo
    return try fixture.ask(#"{"kind":"createOrg","name":"Acme","returnTo":"\#(returnTo)"}"#)
  }

  private func press(
    _ decision: String, _ id: String, _ fixture: inout NodeFixture, origin: String? = nil
  ) -> APIAnswer? {
    fixture.node.browse(
      BrowserRequest(
        method: "POST", path: "/consent/\(id)", origin: origin,
        form: Query("decision=\(decision)".utf8) ?? .none), at: fixture.now)
  }

  private func get(
    _ path: String, _ query: String = "", _ fixture: inout NodeFixture
  ) -> APIAnswer? {
    let request = BrowserRequest(method: "GET", path: path, query: Query(query.utf8) ?? .none)
    return fixture.node.browse(request, at: fixture.now)
  }

  @Test func thePageShowsTheCodeTheQuestionAndTwoButtonsWithoutScript() throws {
    var fixture = NodeFixture(prefix: "/node-7")
    let id = try askingWithReturn(&fixture)
    let page = try #require(get("/consent/\(id)", "", &fixture))
    let record = try #require(fixture.node.consents.record(id))
    #expect(page.status == 200)
    #expect(page.text.contains(record.code))
    #expect(page.text.contains("create an organization"))
    #expect(page.text.contains("Acme"))
    #expect(page.text.contains(#"<form method="post" action="/node-7/consent/\#(id)">"#))
    for value in ["approve", "decline"] {
      #expect(page.text.contains(#"name="decision" value="\#(value)""#))
    }
    #expect(!page.text.contains("<script") && !page.text.contains("src="))
    #expect(page.header("content-security-policy")?.hasPrefix("default-src 'none'") == true)
    #expect(page.header("cache-control") == "no-store")
  }

  @Test func namesOnThePageCannotBecomeMarkup() throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(
      #"{"kind":"createOrg","name":"<script>alert('&\u202e\u0007\")</script>"}"#)
    let page = try #require(get("/consent/\(id)", "", &fixture)?.text)
    #expect(!page.contains("<script"))
    #expect(page.contains("&lt;script&gt;alert(&#39;&amp;&#xFFFD;&#xFFFD;&quot;)"))
  }

  @Test func anInviteTokenIsNotShown() throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(#"{"kind":"acceptInvite","token":"secret-invite"}"#)
    #expect(get("/consent/\(id)", "", &fixture)?.text.contains("secret-invite") == false)
  }

  @Test(arguments: [("approve", "approved"), ("decline", "declined")])
  func aButtonDecidesAndSendsThePersonBack(_ decision: String, _ result: String) throws {
    var fixture = NodeFixture()
    let id = try askingWithReturn(&fixture)
    let answer = try #require(press(decision, id, &fixture))
    #expect(answer.status == 303)
    #expect(
      answer.header("location")
        == "http://127.0.0.1:4000/app/1.0.0/?native-consent=1&request_id=\(id)&result=\(result)")
    #expect(fixture.result(id).answer.json?["status"]?.string == result)
  }

  @Test func aRequestWithoutReturnEndsOnAPage() throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(#"{"kind":"createOrg","name":"Acme"}"#)
    let answer = try #require(press("approve", id, &fixture))
    #expect(answer.status == 200)
    #expect(answer.text.contains(#"data-state="approved""#))
  }

  @Test func aFormOfAnotherSiteDecidesNothing() throws {
    var fixture = NodeFixture()
    let id = try askingWithReturn(&fixture)
    for origin in ["https://evil.example", "null", "http://127.0.0.1:4001"] {
      #expect(press("approve", id, &fixture, origin: origin)?.status == 403)
    }
    #expect(press("maybe", id, &fixture)?.status == 400)
    #expect(fixture.result(id).reading == .pending)
    #expect(press("approve", id, &fixture, origin: "http://127.0.0.1:4000")?.status == 303)
  }

  @Test func aPageThatIsOverSaysWhy() throws {
    var fixture = NodeFixture()
    let replaced = try askingWithReturn(&fixture)
    let decided = try askingWithReturn(&fixture)
    #expect(press("decline", decided, &fixture)?.status == 303)
    let expired = try askingWithReturn(&fixture)
    try fixture.node.consents.expire(expired, at: fixture.now)
    let states = [
      ("no-such", 404, "unknown"), (replaced, 410, "replaced"), (decided, 409, "decided"),
      (expired, 410, "expired"),
    ]
    for (id, status, state) in states {
      for answer in [get("/consent/\(id)", "", &fixture), press("approve", id, &fixture)] {
        #expect(answer?.status == status)
        #expect(answer?.text.contains(#"data-state="\#(state)""#) == true)
      }
    }
  }

  @Test func theServedPagePassesTheReturnOnByNavigating() throws {
    var fixture = NodeFixture()
    fixture.node.settings.callback = Callback("http://127.0.0.1:17463/return")
    let query = "native-consent=1&request_id=a%2Bb&result=approved&other=1"
    let answer = try #require(get("/app/1.0.0/", query, &fixture))
    #expect(answer.status == 303)
    #expect(
      answer.header("location")
        == "http://127.0.0.1:17463/return?request_id=a%2Bb&result=approved")
  }

  @Test func theCallbackOfOneRequestComesBeforeTheNodes() throws {
    var fixture = NodeFixture()
    fixture.node.settings.callback = Callback("http://127.0.0.1:1/return")
    fixture.node.callbacks["r1"] = Callback("http://127.0.0.1:2/return")
    #expect(
      get("/app/1.0.0/", "request_id=r1", &fixture)?.header("location")
        == "http://127.0.0.1:2/return?request_id=r1")
    let named = "request_id=r1&callback=http%3A%2F%2F%5B%3A%3A1%5D%3A2%2Freturn%2Ft%3Fx%3D1"
    #expect(
      get("/app/1.0.0/", named, &fixture)?.header("location")
        == "http://[::1]:2/return/t?x=1&request_id=r1")
  }

  @Test func anAppsOwnSchemeGetsAPageThatGoesThereAndHasALink() throws {
    var fixture = NodeFixture()
    fixture.node.callbacks["r1"] = Callback("com.example.notes:/return?x='1'")
    let page = try #require(get("/app/1.0.0/", "request_id=r1&result=approved", &fixture))
    #expect(page.status == 200 && page.header("location") == nil)
    let address = "com.example.notes:/return?x=&#39;1&#39;&amp;request_id=r1&amp;result=approved"
    #expect(page.text.contains(#"<main data-state="open-app">"#))
    #expect(page.text.contains(#"<meta http-equiv="refresh" content="0;url=\#(address)">"#))
    #expect(page.text.contains(#"href="\#(address)""#))
  }

  @Test(arguments: [
    "native-consent=1", "request_id=r1", "request_id=r1&callback=https%3A%2F%2Fx.example",
  ])
  func withoutACallbackTheServedPageSaysSo(_ query: String) {
    var fixture = NodeFixture()
    let answer = get("/app/1.0.0/", query, &fixture)
    #expect(answer?.status == 200)
    #expect(answer?.text.contains(#"data-state="no-callback""#) == true)
  }

  @Test(arguments: ["/", "/consent", "/consent/", "/consent/requests", "/consent/x/result", "/app"])
  func otherPathsAreNotTheBrowsers(_ path: String) {
    var fixture = NodeFixture()
    #expect(get(path, "", &fixture) == nil)
  }

  @Test(arguments: [
    "http://127.0.0.1:17463/return", "http://[::1]:17463/return/t", "http://localhost:80/",
    "mero-consent://return", "com.example.notes:/return?x=1",
  ])
  func aCallbackIsOnLoopbackOrAnAppsScheme(_ address: String) {
    #expect(Callback(address) != nil)
  }

  @Test(arguments: [
    "https://notes.example/", "http://notes.example/", "http://127.0.0.1@evil.example/",
    "http://127.0.0.1.evil.example/", "javascript:alert(1)", "data:text/html,x", "file:///x",
    "", "return", "http://127.0.0.1/#x", "a b:/", "1x:/", "com.example:/\u{e9}",
  ])
  func anythingElseIsNoCallback(_ address: String) {
    #expect(Callback(address) == nil)
  }

  @Test func everyKindHasASentenceOfItsOwn() throws {
    let bodies = ConsentAPITests.kinds.map(\.body)
    let sentences = try bodies.map { body in
      var fixture = NodeFixture()
      let id = try fixture.ask(body)
      return ConsentWords(try #require(fixture.node.consents.record(id)).request).sentence
    }
    #expect(Set(sentences).count == ConsentKind.allCases.count)
  }

  @Test func capabilitiesAreNamedAndUnknownOnesCounted() {
    let mask = OrgCapabilities(rawValue: 1 << 1 | 1 << 20)
    let words = ConsentWords(.setCapabilities(org: "o1", team: "t1", capabilities: mask))
    #expect(words.details.map(\.name) == ["Organization", "Team", "Capabilities"])
    #expect(words.details.last?.value == "invite members, capability 20")
  }
}
