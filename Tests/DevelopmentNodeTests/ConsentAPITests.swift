import DevelopmentNode
import EventLoop
import MeroConsent
import Testing

@Suite struct ConsentAPITests {
  /// The table of the protocol's page, written out: what a client sends, what an approval brings.
  static let kinds: [(body: String, outcome: String?)] = [
    (#"{"kind":"createOrg","name":"Acme"}"#, "orgCreated"),
    (
      #"{"kind":"createInvite","org":"o1","role":"member","teams":["t1"],"ttlSecs":60,"uses":2,"#
        + #""allApps":true}"#, "inviteCreated"
    ),
    (#"{"kind":"acceptInvite","token":"i1"}"#, "inviteAccepted"),
    (#"{"kind":"renameOrg","org":"o1","name":"Better"}"#, "orgRenamed"),
    (#"{"kind":"deleteOrg","org":"o1"}"#, "orgDeleted"),
    (#"{"kind":"leaveOrg","org":"o1"}"#, nil),
    (#"{"kind":"removeMember","org":"o1","account":"a1"}"#, nil),
    (#"{"kind":"setMemberRole","org":"o1","account":"a1","role":"admin"}"#, nil),
    (
      #"{"kind":"setMemberTeams","org":"o1","account":"a1","#
        + #""teams":[{"team":"t1","role":"member","capabilities":3}]}"#, nil
    ),
    (#"{"kind":"removeMemberTeams","org":"o1","account":"a1","teams":["t1"]}"#, nil),
    (#"{"kind":"revokeInvite","org":"o1","inviteKey":"k1"}"#, nil),
    (#"{"kind":"setCapabilities","org":"o1","capabilities":1023}"#, nil),
    (#"{"kind":"setAllApps","org":"o1","account":"a1","allApps":false}"#, nil),
    (#"{"kind":"release","tag":"2.3.87"}"#, nil),
    (#"{"kind":"upgrade","instance":"i1","version":"2.0.0"}"#, nil),
    (#"{"kind":"outbound","instance":"i1","hosts":["api.example:443"]}"#, nil),
  ]

  @Test func theTableHasEveryKind() throws {
    let named = try Self.kinds.map { try JSON(parsing: Array($0.body.utf8))["kind"]?.string }
    #expect(named == ConsentKind.allCases.map(\.rawValue))
  }

  @Test(arguments: kinds)
  func takesEachKindAndBringsItsOutcomeAbout(_ body: String, _ outcome: String?) throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(body)
    #expect(fixture.result(id).answer.json == ["requestId": .string(id), "status": "pending"])
    try fixture.decide(id, .approve)
    let answer = try #require(fixture.result(id).answer.json)
    #expect(answer["status"] == "approved")
    #expect(answer["outcome"]?["kind"]?.string == outcome)
  }

  @Test(arguments: kinds)
  func aDeclineHasNoOutcome(_ body: String, _ outcome: String?) throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(body)
    try fixture.decide(id, .decline)
    #expect(fixture.result(id).answer.json == ["requestId": .string(id), "status": "declined"])
  }

  @Test func answersARequestWithAllThatTheClientNeeds() throws {
    var fixture = NodeFixture(prefix: "/node-7")
    let ran = fixture.call("POST", "/consent/requests", #"{"kind":"createOrg","name":"Acme"}"#)
    let record = try #require(ran.record)
    #expect(ran.answer.status == 200)
    #expect(ran.answer.header("content-type") == "application/json")
    #expect(
      ran.answer.json == [
        "requestId": .string(record.id), "code": .string(record.code),
        "url": .string("http://127.0.0.1:4000/node-7/consent/\(record.id)?code=\(record.code)"),
        "expiresAt": "2027-01-15T08:10:00Z",
      ])
  }

  @Test func wrapsItsAnswersWhenToldTo() throws {
    var fixture = NodeFixture()
    fixture.node.settings.wrapsAnswers = true
    let id = try fixture.ask(#"{"kind":"createOrg","name":"Acme"}"#)
    #expect(fixture.result(id).answer.json?["data"]?["status"] == "pending")
  }

  @Test(arguments: [
    (#"{"kind":"createOrg"}"#, 422), (#"{"kind":"createOrg","name":"A","more":1}"#, 422),
    (#"{"kind":"createMoon","name":"A"}"#, 422), (#"{"kind":"createOrg","name":7}"#, 422),
    ("[]", 422), ("{", 400), ("", 400),
    (#"{"kind":"createOrg","name":"A","returnTo":"https://elsewhere.example/"}"#, 422),
    (
      #"{"kind":"createOrg","name":"A","returnTo":"http://127.0.0.1:4000@elsewhere.example/"}"#, 422
    ),
    (#"{"kind":"createOrg","name":"A","returnTo":"http://192.0.2.7:4001/"}"#, 422),
    (#"{"kind":"createOrg","name":"A","returnTo":"http://127.0.0.1:4000/app/#x"}"#, 422),
  ])
  func refusesARequestThatIsNotOfTheProtocol(_ body: String, _ status: Int) {
    var fixture = NodeFixture()
    let ran = fixture.call("POST", "/consent/requests", body)
    #expect(ran.answer.status == status)
    #expect(ran.record == nil && ran.reading == .none)
    #expect(fixture.node.consents.all.isEmpty)
  }

  @Test(arguments: ["http://127.0.0.1:17463/return/0a", "http://[::1]:17463/return"])
  func takesAReturnToOnLoopbackFromAnAppWithoutAServedPage(_ address: String) throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(#"{"kind":"createOrg","name":"A","returnTo":"\#(address)"}"#)
    #expect(fixture.result(id).reading == .pending)
  }

  @Test func aNewerRequestOfTheAccountReplacesTheUndecidedOne() throws {
    var fixture = NodeFixture()
    let first = try fixture.ask(#"{"kind":"createOrg","name":"A"}"#)
    let second = try fixture.ask(#"{"kind":"createOrg","name":"B"}"#)
    #expect(fixture.result(first).answer.status == 404)
    #expect(fixture.result(second).reading == .pending)
    #expect(throws: ConsentBook.Refused.replaced) { try fixture.decide(first, .approve) }
  }

  @Test func aDecidedRequestIsNotReplaced() throws {
    var fixture = NodeFixture()
    let first = try fixture.ask(#"{"kind":"createOrg","name":"A"}"#)
    try fixture.decide(first, .approve)
    _ = try fixture.ask(#"{"kind":"createOrg","name":"B"}"#)
    #expect(fixture.result(first).reading == .approved(hasOutcome: true))
  }

  @Test func accountsDoNotReplaceOrReadEachOthersRequests() throws {
    var fixture = NodeFixture()
    let other = fixture.node.issueTokens(to: "other", at: fixture.now).access
    let mine = try fixture.ask(#"{"kind":"createOrg","name":"A"}"#)
    let theirs = try fixture.ask(#"{"kind":"createOrg","name":"B"}"#, bearer: other)
    #expect(fixture.result(mine).reading == .pending)
    #expect(fixture.result(theirs).answer.status == 404)
    #expect(fixture.result(mine, bearer: other).answer.status == 404)
  }

  @Test func aRequestExpiresAtItsMillisecondAndNotBefore() throws {
    var fixture = NodeFixture()
    fixture.node.settings.requestLifetime = .milliseconds(500)
    let id = try fixture.ask(#"{"kind":"createOrg","name":"A"}"#)
    fixture.now = WallInstant(milliseconds: NodeFixture.noon.milliseconds + 499)
    #expect(fixture.result(id).reading == .pending)
    fixture.now = WallInstant(milliseconds: NodeFixture.noon.milliseconds + 500)
    #expect(fixture.result(id).answer.status == 404)
    #expect(throws: ConsentBook.Refused.expired) { try fixture.decide(id, .approve) }
  }

  @Test func aDecisionOutlivesTheRequestsTime() throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(#"{"kind":"createOrg","name":"A"}"#)
    try fixture.decide(id, .decline)
    fixture.now = fixture.now + .seconds(3000)
    #expect(fixture.result(id).reading == .declined)
  }

  @Test func anInviteMadeHereJoinsItsOrganizationAsOftenAsItSays() throws {
    var fixture = NodeFixture()
    let org = try #require(outcome(of: #"{"kind":"createOrg","name":"A"}"#, &fixture)?["orgId"])
    let invite = #"{"kind":"createInvite","org":"\#(org.string ?? "")","uses":1}"#
    let token = try #require(outcome(of: invite, &fixture)?["token"]?.string)
    let accept = #"{"kind":"acceptInvite","token":"\#(token)"}"#
    #expect(try outcome(of: accept, &fixture)?["org"] == org)
    #expect(fixture.call("POST", "/consent/requests", accept).answer.status == 422)
  }

  @Test func anInviteEndsWithItsTimeAndWithItsRevocation() throws {
    var fixture = NodeFixture()
    let token = try #require(
      outcome(of: #"{"kind":"createInvite","org":"o1","ttlSecs":10}"#, &fixture)?["token"]?.string)
    let accept = #"{"kind":"acceptInvite","token":"\#(token)"}"#
    #expect(fixture.call("POST", "/consent/requests", accept).answer.status == 200)
    let key = try #require(fixture.node.organizations.invites[token]?.key)
    _ = try outcome(of: #"{"kind":"revokeInvite","org":"o1","inviteKey":"\#(key)"}"#, &fixture)
    #expect(fixture.call("POST", "/consent/requests", accept).answer.status == 422)

    let late = try #require(
      outcome(of: #"{"kind":"createInvite","org":"o1","ttlSecs":10}"#, &fixture)?["token"]?.string)
    fixture.now = fixture.now + .seconds(10)
    let ran = fixture.call(
      "POST", "/consent/requests", #"{"kind":"acceptInvite","token":"\#(late)"}"#)
    #expect(ran.answer.status == 422)
  }

  @Test func deletingAnOrganizationNamesItsApps() throws {
    var fixture = NodeFixture()
    let apps = try outcome(of: #"{"kind":"deleteOrg","org":"o1"}"#, &fixture)?["apps"]
    #expect(apps == .array([.string(Organizations.standardApp)]))
  }

  private func outcome(of body: String, _ fixture: inout NodeFixture) throws -> JSON? {
    let id = try fixture.ask(body)
    try fixture.decide(id, .approve)
    return fixture.result(id).answer.json?["outcome"]
  }
}
