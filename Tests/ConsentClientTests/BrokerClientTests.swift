import ConsentClient
import EventLoop
import FoundationEssentials
import HTTP
import MeroConsent
import Testing

/// What each call sends, and what it makes of the answer.
@Suite @LoopActor struct BrokerClientTests {
  private static let tokens = SessionTokens(accessToken: "a-secret", refreshToken: "r-secret")
  private static let sessionJSON =
    #"{"account":"ab","createdAt":"2026-12-01T09:00:00Z","needsSession":true,"#
    + #""node":{"trust":{"development":true},"url":"http://127.0.0.1:1"},"origins":["https://a"],"#
    + #""package":"p","returnTo":"https://a/r","session":"s_1"}"#

  @Test func opensASession() async throws {
    let daemon = try StubDaemon(201, #"{"session":"s_1","key":"k-1"}"#)
    let measurements = NodeMeasurements(
      mrtd: "m", rtmr0: "0", rtmr1: "1", rtmr2: "2", rtmr3: "3")
    let opened = try await daemon.client().openSession(
      NodeSession(
        package: "com.example.notes", account: "ab", nodeURL: "https://node.example/node-7",
        trust: .measurements([measurements], tcb: ["UpToDate"]), tokens: Self.tokens,
        origins: ["https://notes.example"], returnTo: "https://notes.example/r"))
    #expect(opened.key.text == "k-1")
    let request = try #require(daemon.requests.first)
    #expect(request.line == "POST /v1/sessions")
    #expect(request.headers[.contentType] == "application/json")
    #expect(request.headers[.authorization] == nil)
    for part in [
      #""package":"com.example.notes""#, #""account":"ab""#, #""accessToken":"a-secret""#,
      #""refreshToken":"r-secret""#, #""origins":["https://notes.example"]"#,
      #""returnTo":"https://notes.example/r""#, #""url":"https://node.example/node-7""#,
      #""tcb":["UpToDate"]"#, #""mrtd":"m""#, #""rtmr3":"3""#,
    ] { #expect(request.text.contains(part), "\(part)") }
  }

  @Test(arguments: [
    (NodeTrust.transportKey("ff"), #""trust":{"transportKey":"ff"}"#),
    (.development, #""trust":{"development":true}"#), (.unconfigured, #""node":{"url":"u"}"#),
  ])
  func namesTheTrust(_ trust: NodeTrust, _ json: String) async throws {
    let daemon = try StubDaemon(201, #"{"session":"s_1","key":"k-1"}"#)
    _ = try await daemon.client().openSession(
      NodeSession(package: "p", nodeURL: "u", trust: trust, tokens: Self.tokens))
    #expect(try #require(daemon.requests.first).text.contains(json))
  }

  @Test(arguments: [
    (TrustedReleases.all, #""trust":{"releases":true}"#),
    (.named(["a", "b"]), #""trust":{"releases":["a","b"]}"#),
  ])
  func namesTheDaemonsReleases(_ releases: TrustedReleases, _ json: String) async throws {
    let daemon = try StubDaemon(201, #"{"session":"s_1","key":"k-1"}"#)
    _ = try await daemon.client().openSession(
      NodeSession(package: "p", nodeURL: "u", releases: releases, tokens: Self.tokens))
    #expect(try #require(daemon.requests.first).text.contains(json))
  }

  @Test func readsChangesAndClosesASession() async throws {
    let daemon = try StubDaemon(200, Self.sessionJSON)
    let session = daemon.session()
    let info = try await session.info()
    #expect(info.session == "s_1" && info.needsSession && info.nodeURL == "http://127.0.0.1:1")
    #expect(try await session.replaceTokens(Self.tokens) == info)
    daemon.answer { _ in HTTPResponse(204) }
    try await session.close()
    #expect(
      daemon.requests.map(\.line) == ["GET /v1/session", "PATCH /v1/session", "DELETE /v1/session"])
    #expect(daemon.requests.allSatisfy { $0.headers[.authorization] == "Bearer k-secret" })
    #expect(
      daemon.requests[1].text == #"{"accessToken":"a-secret","refreshToken":"r-secret"}"#
        || daemon.requests[1].text == #"{"refreshToken":"r-secret","accessToken":"a-secret"}"#)
  }

  @Test func startsARequest() async throws {
    let more = #","callback":"http://127.0.0.1:1/return/t","opened":true"#
    let daemon = try StubDaemon(
      201, requestJSON(more: more), headers: [.etag: "\"1\"", .location: "/v1/requests/rq-1"])
    let request = try await daemon.session().start(
      .createOrg(name: "Acme"), open: true, idempotencyKey: "key-1")
    #expect(request.requestId == "rq-1" && request.kind == .createOrg && request.state == .started)
    #expect(request.callback == "http://127.0.0.1:1/return/t" && request.opened == .yes)
    #expect(request.version == "\"1\"" && request.code == "7QF2-XK")
    let expires = try #require(request.expiresAt)
    #expect(expires.timeIntervalSince(request.createdAt) == 3600.25)
    #expect(request.started?.url == "https://node.example/consent/1")
    #expect(request.result.status == .pending)
    let sent = try #require(daemon.requests.first)
    #expect(sent.line == "POST /v1/requests")
    #expect(sent.headers[.idempotencyKey] == "key-1")
    #expect(sent.text.contains(#""open":true"#))
    #expect(sent.text.contains(#""request":{"#) && sent.text.contains(#""name":"Acme""#))
    #expect(!sent.text.contains("started"))
  }

  @Test func recordsARequestOfTheAppsOwn() async throws {
    let daemon = try StubDaemon(201, requestJSON())
    let started = try #require(
      try await daemon.session().start(.createOrg(name: "Acme")).started)
    _ = try await daemon.session().record(started)
    let keys = daemon.requests.map { $0.headers[.idempotencyKey] ?? "" }
    #expect(keys.allSatisfy { $0.utf8.count > 16 } && keys[0] != keys[1])
    let sent = daemon.requests[1].text
    #expect(sent.contains(#""started":{"#) && sent.contains(#""requestId":"rq-1""#))
    #expect(sent.contains(#""expiresAt":"2026-12-01T10:00:00.250Z""#))
    #expect(sent.contains(#""open":false"#) && !sent.contains(#""request":"#))
  }

  @Test func listsRequests() async throws {
    let daemon = try StubDaemon(
      200, #"{"requests":[\#(requestJSON()),\#(requestJSON("approved", id: "2"))],"next":"n/1"}"#)
    let page = try await daemon.session().requests(in: .approved, limit: 7, before: "a b&c")
    #expect(page.requests.map(\.requestId) == ["rq-1", "2"])
    #expect(page.next == "n/1")
    _ = try await daemon.session().requests()
    #expect(
      daemon.requests.map(\.line) == [
        "GET /v1/requests?state=approved&limit=7&before=a%20b%26c", "GET /v1/requests",
      ])
  }

  @Test func actsOnOneRequest() async throws {
    let daemon = try StubDaemon(200, requestJSON("cancelled"))
    let session = daemon.session()
    _ = try await session.request("a/b ä")
    _ = try await session.open("rq-1")
    _ = try await session.confirm("rq-1", returned: "mero://r?request_id=rq-1")
    #expect(try await session.cancel("rq-1").state == .cancelled)
    _ = try await session.open("rq-1", activationToken: "tok-1")
    #expect(daemon.requests.last?.text == #"{"activationToken":"tok-1"}"#)
    #expect(
      daemon.requests.dropLast().map(\.line) == [
        "GET /v1/requests/a%2Fb%20%C3%A4", "POST /v1/requests/rq-1/open",
        "POST /v1/requests/rq-1/return", "DELETE /v1/requests/rq-1",
      ])
    #expect(daemon.requests[1].body.isEmpty)
    #expect(daemon.requests[2].text == #"{"url":"mero://r?request_id=rq-1"}"#)
  }

  @Test(arguments: [
    (#"{"kind":"orgCreated","orgId":"o"}"#, ConsentOutcome.orgCreated(orgId: "o")),
    (#"{"kind":"inviteCreated","token":"t"}"#, .inviteCreated(token: "t")),
    (#"{"kind":"inviteAccepted","org":"o"}"#, .inviteAccepted(org: "o")),
    (#"{"kind":"orgRenamed","name":"n","orgId":"o"}"#, .orgRenamed(orgId: "o", name: "n")),
    (#"{"kind":"orgDeleted","apps":["a","b"]}"#, .orgDeleted(apps: ["a", "b"])),
    (#"{"kind":"somethingNew","x":1}"#, nil),
  ])
  func readsAnOutcome(_ json: String, _ expected: ConsentOutcome?) async throws {
    let more =
      #","changesOrganizations":true,"decidedAt":"2026-12-01T09:30:00Z","outcome":\#(json),"#
      + #""lastReturn":{"at":"2026-12-01T09:30:00Z","code":"OK"}"#
    let daemon = try StubDaemon(200, requestJSON("approved", more: more))
    let request = try await daemon.session().request("rq-1")
    #expect(request.outcome == expected && request.result.outcome == expected)
    #expect(request.result.status == .approved && request.changesOrganizations)
    #expect(request.lastReturn?.code == "OK" && request.decidedAt != nil)
  }

  @Test func readsWhyNobodyKnowsTheDecision() async throws {
    let more =
      #","detail":"It does not answer.","#
      + #""readFailure":{"code":"NODE_UNREACHABLE","since":"2026-12-01T09:30:00Z"}"#
    let daemon = try StubDaemon(200, requestJSON(more: more))
    let request = try await daemon.session().request("rq-1")
    let failure = try #require(request.readFailure)
    #expect(request.state == .started && failure.code.rawValue == "NODE_UNREACHABLE")
    #expect(failure.since.timeIntervalSince(request.createdAt) == 1800)
    #expect(request.detail == "It does not answer.")
    daemon.answer { _ in HTTPResponse(200, body: Array(requestJSON().utf8)) }
    #expect(try await daemon.session().request("rq-1").readFailure == nil)
  }

  @Test func keepsWhatANewerDaemonSays() async throws {
    let more = #","failure":"NEW_CODE","newField":{"a":[1]}"#
    let daemon = try StubDaemon(200, requestJSON("paused", kind: "newKind", more: more))
    let request = try await daemon.session().request("rq-1")
    #expect(request.state.rawValue == "paused" && !request.state.isFinal)
    #expect(request.kind == nil && request.kindName == "newKind" && request.started == nil)
    #expect(request.failure?.rawValue == "NEW_CODE")
  }

  @Test func handsAReturnOver() async throws {
    let daemon = try StubDaemon(202, #"{"accepted":true}"#)
    try await daemon.client().accept(returned: "mero://r?a=1")
    #expect(daemon.requests.map(\.line) == ["POST /v1/returns"])
    #expect(daemon.requests[0].headers[.authorization] == nil)
  }

  @Test func readsTheStatus() async throws {
    let daemon = try StubDaemon(
      200,
      #"{"callbacks":["http://127.0.0.1:1/return"],"#
        + #""counts":{"eventStreams":4,"sessions":1,"undecidedRequests":2,"waits":3},"#
        + #""nodes":{"reachable":5,"unreachable":6},"startedAt":"2026-12-01T09:00:00Z","#
        + #""state":{"health":"read-only","reason":"full","reset":true,"unwritten":2},"uptime":61,"version":"1.2.3"}"#
    )
    let status = try await daemon.client().status()
    #expect(status.version == "1.2.3" && status.uptime == .seconds(61))
    #expect(status.callbacks == ["http://127.0.0.1:1/return"])
    #expect(
      [status.sessions, status.undecidedRequests, status.waits, status.eventStreams] == [
        1, 2, 3, 4,
      ])
    #expect(status.nodesReachable == 5 && status.nodesUnreachable == 6)
    #expect(status.stateHealth == "read-only" && status.stateWasReset)
    #expect(status.stateReason == "full" && status.unwrittenVerdicts == 2)
    // A daemon of an earlier version tells of none.
    #expect(status.attestations.isEmpty)
  }

  @Test func readsWhatNodesProved() async throws {
    let daemon = try StubDaemon(
      200,
      #"{"callbacks":[],"counts":{"eventStreams":0,"sessions":2,"undecidedRequests":0,"waits":0},"#
        + #""nodes":{"reachable":2,"unreachable":0},"startedAt":"2026-12-01T09:00:00Z","#
        + #""attestations":[{"image":"2.3.87 locked-read-only","mock":false,"#
        + #""tcbStatus":"OutOfDate","advisories":["INTEL-SA-1"],"#
        + #""verifiedAt":"2026-12-01T09:01:00Z","holdsUntil":"2026-12-09T09:00:00Z"},"#
        + #"{"image":"development","mock":true,"advisories":[],"#
        + #""verifiedAt":"2026-12-01T09:00:30Z"}],"#
        + #""state":{"health":"ok","reset":false},"uptime":61,"version":"1.2.3"}"#)
    let attestations = try await daemon.client().status().attestations
    #expect(attestations.map(\.image) == ["2.3.87 locked-read-only", "development"])
    #expect(attestations.map(\.isMock) == [false, true])
    #expect(attestations.map(\.tcbStatus) == ["OutOfDate", nil])
    #expect(attestations[0].advisoryIDs == ["INTEL-SA-1"])
    #expect(attestations[0].holdsUntil?.timeIntervalSince(attestations[0].verifiedAt) == 691_140)
  }
}
