import DevelopmentNode
import Testing

@Suite struct SpoiltAnswerTests {
  private let createOrg = #"{"kind":"createOrg","name":"A"}"#

  @Test(arguments: [
    (Misbehaviour.codeMismatch, "code"), (.pageElsewhere, "url"), (.pageUnnamed, "url"),
    (.noRequestID, "requestId"), (.expiresAt, "expiresAt"),
  ])
  func aStartedAnswerIsWrongInOneField(_ misbehaviour: Misbehaviour, _ field: String) throws {
    var fixture = NodeFixture()
    let ran = fixture.call("POST", "/consent/requests", createOrg)
    let right = try #require(ran.answer.json)
    let wrong = try #require(spoil(ran, misbehaviour, fixture).json)
    for name in ["requestId", "url", "code", "expiresAt"] {
      #expect((right[name] == wrong[name]) == (name != field), "\(name)")
    }
  }

  @Test func aPageThatDoesNotNameTheRequestIsStillOnTheNode() throws {
    var fixture = NodeFixture()
    let ran = fixture.call("POST", "/consent/requests", createOrg)
    let url = try #require(spoil(ran, .pageUnnamed, fixture).json?["url"]?.string)
    #expect(url.hasPrefix("http://127.0.0.1:4000/"))
    #expect(!url.contains(try #require(ran.record?.id)))
  }

  @Test(arguments: [
    (#""2020-01-01T00:00:00Z""#, JSON.string("2020-01-01T00:00:00Z")), ("null", .null),
    ("1893456000", .number(1_893_456_000)), ("tomorrow", .string("tomorrow")),
  ])
  func expiresAtCanBeAnyValue(_ text: String, _ value: JSON) {
    var fixture = NodeFixture()
    let ran = fixture.call("POST", "/consent/requests", createOrg)
    #expect(spoil(ran, .expiresAt, fixture, text: text).json?["expiresAt"] == value)
  }

  @Test func aMalformedCodeIsTheSameOnBothSides() {
    var fixture = NodeFixture()
    let ran = fixture.call("POST", "/consent/requests", createOrg)
    let wrong = spoil(ran, .codeMalformed, fixture, text: "7Q").json
    #expect(wrong?["code"] == "7Q")
    #expect(wrong?["url"]?.string?.hasSuffix("?code=7Q") == true)
  }

  @Test func aResultIsWrongAsTold() throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(createOrg)
    let pending = fixture.result(id)
    #expect(spoil(pending, .outcomeOnPending, fixture).json?["outcome"]?["kind"] == "orgCreated")
    #expect(spoil(pending, .unknownStatus, fixture).json?["status"] == "APPROVED")
    #expect(spoil(pending, .replaced, fixture).status == 404)
    try fixture.decide(id, .approve)
    let approved = fixture.result(id)
    #expect(spoil(approved, .wrongRequest, fixture).json?["requestId"] != .string(id))
    #expect(spoil(approved, .missingOutcome, fixture).json?["outcome"] == nil)
    #expect(spoil(approved, .otherOutcome, fixture).json?["outcome"]?["kind"] == "orgDeleted")
  }

  @Test func anOutcomeAppearsWhereNoneBelongs() throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(#"{"kind":"leaveOrg","org":"o1"}"#)
    try fixture.decide(id, .approve)
    let approved = fixture.result(id)
    #expect(spoil(approved, .otherOutcome, fixture).json?["outcome"]?["kind"] == "orgCreated")
    let second = try fixture.ask(createOrg)
    try fixture.decide(second, .decline)
    let declined = spoil(fixture.result(second), .outcomeOnDecline, fixture).json
    #expect(declined?["status"] == "declined")
    #expect(declined?["outcome"]?["kind"] == "orgCreated")
  }

  @Test func aWrappedAnswerIsSpoiltInside() throws {
    var fixture = NodeFixture()
    fixture.node.settings.wrapsAnswers = true
    let id = try fixture.ask(createOrg)
    let wrong = spoil(fixture.result(id), .unknownStatus, fixture).json
    #expect(wrong?["data"]?["status"] == "APPROVED")
  }

  @Test func anAnswerCanBeAnythingOfAnyLength() throws {
    var fixture = NodeFixture()
    let id = try fixture.ask(createOrg)
    let ran = fixture.result(id)
    #expect(spoil(ran, .rawAnswer, fixture, text: "null").text == "null")
    let big = spoil(ran, .bigBody, fixture, number: 1_048_577)
    #expect(big.body.count == 1_048_577)
    #expect(big.json == ran.answer.json)
  }

  @Test(arguments: [
    (Misbehaviour.redirect, 302, "location"), (.htmlPage, 200, "content-type"),
    (.status, 500, "content-type"), (.busy, 503, "retry-after"),
    (.unknownSession, 409, "content-type"), (.staleKey, 409, "content-type"),
    (.refusal, 400, "content-type"),
  ])
  func anotherAnswersOutsideTheEnvelope(
    _ misbehaviour: Misbehaviour, _ status: Int, _ header: String
  ) throws {
    guard case .outside(let answer) = NodeState.instead([try act(misbehaviour)]) else {
      Issue.record("not outside")
      return
    }
    #expect(answer.status == status)
    #expect(answer.header(header) != nil)
  }

  @Test(
    arguments: [
      (Misbehaviour.tokenExpired, 401, "token_expired"), (.tokenRevoked, 401, "token_revoked"),
      (.unauthorized, 401, nil), (.refreshRefused, 401, "invalid_token"), (.guarded, 403, nil),
    ] as [(Misbehaviour, Int, String?)])
  func anotherAnswersInsideTheEnvelope(
    _ misbehaviour: Misbehaviour, _ status: Int, _ reason: String?
  ) throws {
    guard case .inside(let answer) = NodeState.instead([try act(misbehaviour)]) else {
      Issue.record("not inside")
      return
    }
    #expect(answer.status == status)
    #expect(answer.header("x-auth-error") == reason)
  }

  private func act(
    _ misbehaviour: Misbehaviour, number: Int? = nil, text: String? = nil
  ) throws -> MisbehaviourPlan.Act {
    var plan = MisbehaviourPlan()
    try plan.add(misbehaviour, number: number, text: text)
    let call = try #require(misbehaviour.entry.calls.first)
    let readings: [Reading] = [
      .none, .started, .pending, .approved(hasOutcome: true), .declined,
    ]
    let reading = try #require(readings.first { misbehaviour.applies(to: $0) })
    return try #require(plan.take([misbehaviour.entry.stage], on: call, reading: reading).first)
  }

  private func spoil(
    _ ran: Ran, _ misbehaviour: Misbehaviour, _ fixture: NodeFixture, number: Int? = nil,
    text: String? = nil
  ) -> APIAnswer {
    guard let act = try? act(misbehaviour, number: number, text: text) else { return ran.answer }
    return fixture.node.spoilt(ran, by: [act])
  }
}
