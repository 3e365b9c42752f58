import FoundationEssentials
import MeroConsent
import Testing

/// What `requestConsent` makes of the node's answer.
@Suite struct StartedCheckTests {
  /// The node's clock, the same as this machine's unless a test says otherwise.
  static func start(
    _ json: String, at url: String = Fixture.nodeURL, date: Date? = nil, status: Int = 201
  ) async throws -> (MeroClient.Started?, ConsentError?) {
    let node = ScriptedNode(replies: [.json(json, status: status, date: date)])
    let client = try Fixture.client(node, at: url)
    do throws(ConsentError) {
      return (try await client.start(.createOrg(name: "Acme")), nil)
    } catch {
      return (nil, error)
    }
  }

  static func code(of json: String, at url: String = Fixture.nodeURL) async throws
    -> ConsentError.Code?
  {
    try await start(json, at: url).1?.code
  }

  @Test(arguments: [200, 201])
  func answersWhatTheNodeSaid(status: Int) async throws {
    let started = try await Self.start(Fixture.startedJSON(), status: status).0?.started
    #expect(started == Fixture.started)
  }

  @Test func unwrapsDataAndIgnoresUnknownFields() async throws {
    let json = Fixture.startedJSON().dropLast() + #","more":{"x":[1]},"kind":7}"#
    #expect(try await Self.start(String(json)).0?.started == Fixture.started)
    #expect(try await Self.start(#"{"data":\#(json),"x":1}"#).0?.started == Fixture.started)
  }

  // MARK: Dates

  @Test(arguments: [
    (#""2030-01-01T00:00:00Z""#, 1_893_456_000.0), (#""2030-01-01T00:00:00.5Z""#, 1_893_456_000.5),
    (#""2030-01-01T00:00:00.413878+02:00""#, 1_893_448_800.413878),
    ("1893456000", 1_893_456_000.0), ("1893456000000", 1_893_456_000.0),
    ("1893456000.25", 1_893_456_000.25), ("99999999999", 99_999_999_999.0),
    ("1893456000500", 1_893_456_000.5),
  ])
  func readsEverySpellingOfADate(json: String, seconds: Double) async throws {
    let started = try #require(
      try await Self.start(Fixture.startedJSON(expiresAt: json)).0?.started)
    #expect(abs(started.expiresAt.timeIntervalSince1970 - seconds) < 1e-6)
  }

  @Test(arguments: [
    #""2030-01-01""#, #""2030-13-01T00:00:00Z""#, #""""#, "null", #""1893456000""#, "true", "[]",
    "{}", "-1", "1e300", "0", "1796126399", "99999999999999999",
  ])
  func refusesADateThatIsNoneOrPast(json: String) async throws {
    let error = try await Self.start(Fixture.startedJSON(expiresAt: json)).1
    #expect(error?.code == .nodeError)
    #expect(error?.advice.contains("expiresAt") == true)
  }

  @Test func refusesAnExpiryNow() async throws {
    let now = #""2026-12-01T12:00:00Z""#
    #expect(try await Self.code(of: Fixture.startedJSON(expiresAt: now)) == .nodeError)
    let later = #""2026-12-01T12:00:00.001Z""#
    #expect(try await Self.code(of: Fixture.startedJSON(expiresAt: later)) == nil)
  }

  @Test(arguments: [-600.0, 600.0, 0])
  func measuresTheLifetimeByTheNodesClock(offset: Double) async throws {
    // This machine's clock is wrong by `offset`; the node gives five minutes by its own.
    let nodeNow = TestClock.noon.addingTimeInterval(-offset)
    let expiry = RFC3339.text(nodeNow.addingTimeInterval(300))
    let (started, _) = try await Self.start(
      Fixture.startedJSON(expiresAt: "\"\(expiry)\""), date: nodeNow)
    #expect(try #require(started).lifetime == .seconds(300))
  }

  @Test func measuresByThisMachinesClockWithoutADate() async throws {
    #expect(try await Self.start(Fixture.startedJSON()).0?.lifetime == .seconds(300))
  }

  @Test func cutsALifetimeOfMoreThanADay() async throws {
    let day = try #require(
      try await Self.start(Fixture.startedJSON(expiresAt: #""2026-12-02T12:00:00Z""#)).0)
    #expect(day.lifetime == .seconds(86_400) && !day.lifetimeCut)
    let more = try #require(
      try await Self.start(Fixture.startedJSON(expiresAt: #""2026-12-02T12:00:01Z""#)).0)
    #expect(more.lifetime == .seconds(86_400) && more.lifetimeCut)
    // The app is still told what the node said.
    #expect(more.started.expiresAt == TestClock.noon.addingTimeInterval(86_401))
  }

  // MARK: Form

  @Test(arguments: ["requestId", "url", "code", "expiresAt"])
  func namesTheFieldThatIsMissing(field: String) async throws {
    let json = Fixture.startedJSON().replacing("\"\(field)\"", with: "\"other\"")
    let error = try await Self.start(json).1
    #expect(error?.code == .nodeError)
    #expect(error?.advice.contains(field) == true)
  }

  @Test(arguments: [
    "", "{}", "null", "[]", "7", "<html></html>", #"{"data":null}"#, #"{"data":[]}"#,
    #"{"requestId":"rq-1","url":"#, #"{"requestId":1,"url":"u","code":"c","expiresAt":1}"#,
  ])
  func refusesWhatIsNoAnswer(json: String) async throws {
    #expect(try await Self.code(of: json) == .nodeError)
  }

  @Test func survivesDeepJSON() async throws {
    let deep = String(repeating: "[", count: 200_000)
    #expect(try await Self.code(of: deep) == .nodeError)
    let inside = #"{"x":"# + String(repeating: "[", count: 200_000)
    #expect(try await Self.code(of: inside) == .nodeError)
  }

  @Test(arguments: ["", ".", ".."])
  func refusesAnIdThatNamesNothing(id: String) async throws {
    let error = try await Self.start(Fixture.startedJSON(requestId: id)).1
    #expect(error?.code == .nodeError)
    #expect(error?.advice.contains("requestId") == true)
  }

  @Test func takesAnIdOf1KiBAndNotMore() async throws {
    for (length, expected) in [(1024, ConsentError.Code?.none), (1025, .nodeError)] {
      let id = String(repeating: "x", count: length)
      let json = Fixture.startedJSON(requestId: id, url: "https://node.example/\(id)")
      #expect(try await Self.code(of: json) == expected)
    }
  }

  @Test(arguments: [199, 202, 204, 301, 302, 400, 403, 404, 409, 429, 500, 503])
  func reportsOtherStatuses(status: Int) async throws {
    let error = try await Self.start(Fixture.startedJSON(), status: status).1
    #expect(error?.code == .nodeError)
    #expect(error?.nodeStatus == status)
  }

  @Test func saysThatARedirectIsNotFollowed() async throws {
    let error = try await Self.start("", status: 302).1
    #expect(error?.advice.contains("redirect") == true)
  }

  // MARK: The page

  @Test(arguments: [
    "https://node.example/consent/rq-1", "https://node.example/node-7/consent/rq-1/page",
    "https://node.example:443/c?id=rq-1", "https://NODE.example/c?x=1&request_id=rq-1#top",
    "https://node.example/rq%2D1", "https://node.example/c?code=7QF2-XK&id=rq-1",
    "https://node.example/c/rq-1#code=7QF2-XK", "https://node.example/rq-1?code=7QF2%2DXK",
    "https://node.example/rq-1?code=7QF2-XK&code=7QF2-XK#code=7QF2-XK",
    "https://node.example/rq-1?Code=other",
  ])
  func takesTheNodesOwnPage(url: String) async throws {
    #expect(try await Self.start(Fixture.startedJSON(url: url)).0?.started.url == url)
  }

  @Test(arguments: [
    "https://evil.example/consent/rq-1", "https://node.example.evil.example/rq-1",
    "https://node.example:8443/rq-1", "http://node.example/rq-1", "https://node.example/consent",
    "https://node.example/rq-12", "https://node.example/xrq-1", "https://node.example/?x=rq-11",
    "https://node.example/#rq-1", "https://node.example/?rq-1=x", "https://node.example/RQ-1",
    "https://user@node.example/rq-1", "https://node.example@evil.example/rq-1",
    "https://node.example\\\\@evil.example/rq-1", "/consent/rq-1", "", "javascript:rq-1",
    "https://node.example/rq-1 ", "https://node.example/rq-1%", "https://node.example/rq%252D1",
    "//node.example/rq-1", "https:node.example/rq-1", "https://rq-1.node.example/",
    "https://node.example/rq-1?code=%ff",
  ])
  func refusesAPageThatIsNotTheNodes(url: String) async throws {
    #expect(try await Self.code(of: Fixture.startedJSON(url: url)) == .pageNotTrusted)
  }

  @Test func takesHttpOnlyOnLoopback() async throws {
    let url = "http://127.0.0.1:4001/consent/rq-1"
    let json = Fixture.startedJSON(url: url)
    #expect(try await Self.code(of: json, at: "http://127.0.0.1:4001") == nil)
    #expect(try await Self.code(of: json, at: "http://127.0.0.1:4002") == .pageNotTrusted)
    #expect(try await Self.code(of: json, at: "http://localhost:4001") == .pageNotTrusted)
  }

  @Test func findsAnIdThatHadToBeEncoded() async throws {
    let id = "a+b/c=&d"
    for url in [
      "https://node.example/consent/a%2Bb%2Fc%3D%26d", "https://node.example/consent/a+b%2Fc=&d",
      "https://node.example/consent?id=a%2Bb%2Fc%3D%26d",
    ] {
      #expect(try await Self.code(of: Fixture.startedJSON(requestId: id, url: url)) == nil)
    }
    let plus = "https://node.example/consent?id=a+b%2Fc%3D%26d"
    #expect(
      try await Self.code(of: Fixture.startedJSON(requestId: id, url: plus)) == .pageNotTrusted)
  }

  // MARK: The code

  @Test(arguments: [
    "1234", "7QF2-XK", "12 34", String(repeating: "x", count: 32), "кодкод", "例例例例", "!#$%",
  ])
  func takesACodeThatAPersonCanCompare(code: String) async throws {
    #expect(try await Self.start(Fixture.startedJSON(code: code)).0?.started.code == code)
  }

  @Test(arguments: [
    "", "123", String(repeating: "x", count: 33), " 123", "123 ", "    ", "12\\n34", "12\\u000034",
    "12\\u202e34", "12\\u200b34", "12\\u00ad34", "12\\u001b[2J", "abc\\u0301x", "12\\u00a034",
  ])
  func refusesACodeThatNobodyCanCompare(code: String) async throws {
    #expect(try await Self.code(of: Fixture.startedJSON(code: code)) == .codeMismatch)
  }

  @Test(arguments: [
    "https://node.example/rq-1?code=7QF2-XX", "https://node.example/rq-1#code=7QF2-XX",
    "https://node.example/rq-1?code=7qf2-xk", "https://node.example/rq-1?code=",
    "https://node.example/rq-1?code", "https://node.example/rq-1?code=7QF2-XK#code=other",
    "https://node.example/rq-1?code=7QF2-XK&code=other", "https://node.example/rq-1?c%6Fde=other",
    "https://node.example/rq-1#x=1&code=other",
  ])
  func refusesACodeThatIsNotThePages(url: String) async throws {
    #expect(try await Self.code(of: Fixture.startedJSON(url: url)) == .codeMismatch)
  }

  // MARK: Requests that the app started itself

  @Test func checksAnAppsOwnRequestTheSameWay() throws {
    let client = try Fixture.client(ScriptedNode(replies: []))
    func check(id: String = "rq-1", url: String = Fixture.started.url, code: String = "7QF2-XK")
      -> ConsentError.Code?
    {
      let started = ConsentStarted(
        requestId: id, url: url, code: code, expiresAt: TestClock.noon, kind: .leaveOrg)
      return refusal { try client.check(started) }?.code
    }
    #expect(check() == nil)
    #expect(check(id: "") == .requestInvalid)
    #expect(check(id: "..") == .requestInvalid)
    #expect(check(id: "rq-2") == .pageNotTrusted)
    #expect(check(url: "https://evil.example/rq-1") == .pageNotTrusted)
    #expect(check(code: "abc") == .codeMismatch)
    #expect(check(url: "https://node.example/rq-1?code=x") == .codeMismatch)
  }

  static let own =
    #"{"requestId":"rq-1","url":"u","code":"c","expiresAt":"2026-12-01T12:05:00Z","kind":"leaveOrg"}"#

  @Test func readsAndWritesAnAppsOwnRequest() throws {
    let started = try JSONDecoder().decode(ConsentStarted.self, from: Data(Self.own.utf8))
    #expect(started.expiresAt == Fixture.started.expiresAt)
    #expect(started.kind == .leaveOrg)
    let again = try JSONDecoder().decode(
      ConsentStarted.self, from: try JSONEncoder().encode(started))
    #expect(again == started)
  }

  @Test(arguments: ["requestId", "url", "code", "expiresAt", "kind"])
  func namesWhatIsWrongWithAnAppsOwnRequest(field: String) {
    for (json, named) in [
      (Self.own.replacing("\"\(field)\"", with: "\"more\""), field),
      (Self.own.dropLast() + ",\"more\":1}", "more"),
    ] {
      let error = refusal { try JSONDecoder().decode(ConsentStarted.self, from: Data(json.utf8)) }
      #expect(error?.code == .requestInvalid)
      #expect(error?.field == named)
    }
  }
}
