import FoundationEssentials
import MeroConsent
import Testing

@Suite struct MeroClientTests {
  @Test func asksWithTheBodyAndTheBearerToken() async throws {
    let node = ScriptedNode(replies: [.json(Fixture.startedJSON(), status: 201)])
    let client = try Fixture.client(node)
    let started = try await client.requestConsent(
      .createOrg(name: "Acme", returnTo: "https://notes.example/r"))
    #expect(started == Fixture.started)
    #expect(await node.paths == ["POST /consent/requests"])
    #expect(await node.bearers == ["access-1"])
    #expect(
      await node.calls[0].text
        == #"{"kind":"createOrg","name":"Acme","returnTo":"https://notes.example/r"}"#)
  }

  @Test func sendsNothingThatCannotBeAsked() async throws {
    let node = ScriptedNode(replies: [.json(Fixture.startedJSON())])
    let client = try Fixture.client(node, origins: ["https://notes.example"])
    #expect(await code { try await client.requestConsent(.leaveOrg(org: "")) } == .requestInvalid)
    #expect(
      await code {
        try await client.requestConsent(.leaveOrg(org: "o", returnTo: "https://evil.example/"))
      } == .returnToNotAllowed)
    #expect(
      await code {
        try await client.requestConsent(.leaveOrg(org: "o"), returnTo: "https://evil.example/")
      } == .returnToNotAllowed)
    #expect(await node.calls.isEmpty)
  }

  @Test func takesAReturnToFromTheNearestPlace() async throws {
    let node = ScriptedNode(replies: [.json(Fixture.startedJSON())])
    let client = try Fixture.client(node, returnTo: "https://c.example/")
    _ = try await client.requestConsent(
      .leaveOrg(org: "o", returnTo: "https://a.example/"), returnTo: "https://b.example/")
    _ = try await client.requestConsent(.leaveOrg(org: "o"), returnTo: "https://b.example/")
    _ = try await client.requestConsent(.leaveOrg(org: "o"))
    let texts = await node.calls.map(\.text)
    for (text, host) in zip(texts, ["a", "b", "c"]) {
      #expect(text.contains("https://\(host).example/"))
    }
  }

  @Test func refusesADefaultReturnToOnAnothersOrigin() {
    let error = refusal {
      try Fixture.client(
        ScriptedNode(replies: []), origins: ["https://a.example"], returnTo: "https://b.example/")
    }
    #expect(error?.code == .returnToNotAllowed)
  }

  @Test(arguments: ["", "a b", "a\r\nx: y", "tökén", String(repeating: "x", count: 16 * 1024 + 1)])
  func refusesATokenThatNoHeaderHolds(token: String) async throws {
    let error = refusal {
      try Fixture.client(ScriptedNode(replies: []), tokens: SessionTokens(accessToken: token))
    }
    #expect(error?.code == .requestInvalid)
    #expect(error?.field == "accessToken")
    let client = try Fixture.client(ScriptedNode(replies: []))
    let tokens = SessionTokens(accessToken: "fine", refreshToken: token)
    #expect(await code { try await client.replaceTokens(tokens) } == .requestInvalid)
  }

  @Test(arguments: [
    ("rq-1", "rq-1"), ("a+b/c=&d", "a%2Bb%2Fc%3D%26d"), ("é %~_.", "%C3%A9%20%25~_."),
    ("..x", "..x"), ("?#", "%3F%23"),
  ])
  func putsAnIdIntoThePathEncodedOnce(id: String, segment: String) async throws {
    let node = ScriptedNode(replies: [.json("", status: 404)])
    let client = try Fixture.client(node)
    _ = await code { try await client.consentResult(id) }
    #expect(await node.paths == ["GET /consent/\(segment)/result"])
    #expect(await node.calls[0].body.isEmpty)
  }

  @Test(arguments: ["", ".", "..", String(repeating: "x", count: 1025)])
  func readsNoIdThatNamesNothing(id: String) async throws {
    let node = ScriptedNode(replies: [.json(Fixture.resultJSON("pending"))])
    let client = try Fixture.client(node)
    #expect(await code { try await client.consentResult(id) } == .requestInvalid)
    #expect(await node.calls.isEmpty)
  }

  @Test func tellsTheNodesClockWithAReading() async throws {
    let date = TestClock.noon.addingTimeInterval(-600)
    let node = ScriptedNode(replies: [.json(Fixture.resultJSON("pending"), date: date)])
    let reading = try await Fixture.client(node).read("rq-1", kind: nil)
    #expect(reading.nodeDate == date)
    #expect(try reading.answer.get().status == .pending)
  }

  @Test func endsWithCancelledOnceItIsClosed() async throws {
    let node = ScriptedNode(replies: [.json(Fixture.resultJSON("pending"))])
    let client = try Fixture.client(node)
    await client.close()
    #expect(await node.isClosed)
    #expect(await code { try await client.consentResult("rq-1") } == .cancelled)
    try await client.replaceTokens(Fixture.tokens)
    #expect(await code { try await client.consentResult("rq-1") } == .cancelled)
    #expect(await node.calls.isEmpty)
  }

  @Test func remembersTheNewestRequestsOnly() async throws {
    let node = ScriptedNode { call, index throws(ConsentError) in
      if call.method == "POST" {
        return .json(
          Fixture.startedJSON(requestId: "rq-\(index)", url: "https://node.example/rq-\(index)"))
      }
      let id = call.path.split(separator: "/")[1]
      return .json(Fixture.resultJSON("approved", requestId: String(id)))
    }
    let client = try Fixture.client(node)
    for _ in 0...256 { _ = try await client.requestConsent(.createOrg(name: "n")) }
    // The first is forgotten, so that its missing outcome is not noticed; the second is not.
    #expect(await code { try await client.consentResult("rq-0") } == nil)
    #expect(await code { try await client.consentResult("rq-1") } == .resultInvalid)
    #expect(await code { try await client.consentResult("rq-256") } == .resultInvalid)
  }
}

/// `confirmConsentReturn`, step by step in the design's order.
@Suite struct ConfirmReturnTests {
  static func confirm(
    _ url: String, _ reply: NodeReply
  ) async throws -> (code: ConsentError.Code?, status: ConsentResult.Status?, calls: Int) {
    let node = ScriptedNode(replies: [reply])
    let client = try Fixture.client(node)
    do throws(ConsentError) {
      let result = try await client.confirmConsentReturn(Fixture.started, returned: url)
      return (nil, result.status, await node.calls.count)
    } catch {
      return (error.code, nil, await node.calls.count)
    }
  }

  static let good = "https://notes.example/r?request_id=rq-1&result=approved"

  @Test(arguments: [
    "https://notes.example/r?request_id=rq-2&result=approved",
    "https://notes.example/r?request_id=rq-1&request_id=rq-2",
    "https://notes.example/r?request_id=rq-1&result=approved&result=declined",
    "https://notes.example/r?request_id=RQ-1",
  ])
  func aReturnOfAnotherRequestIsAMismatchAndTheNodeIsNotAsked(url: String) async throws {
    let outcome = try await Self.confirm(url, .json(Fixture.approvedOrg))
    #expect(outcome == (.requestMismatch, nil, 0))
  }

  @Test(arguments: ["", "https://notes.example/r?request_id=%", "nonsense", "x:?request_id"])
  func aMalformedReturnConfirmsNothing(url: String) async throws {
    let outcome = try await Self.confirm(url, .json(Fixture.approvedOrg))
    #expect(outcome == (.returnURLMalformed, nil, 0))
  }

  @Test func a404IsReplaced() async throws {
    #expect(try await Self.confirm(Self.good, .json("", status: 404)) == (.replaced, nil, 1))
  }

  @Test(arguments: ["approved", "declined", "pending"])
  func pendingIsNotDecidedWhateverTheReturnSays(hint: String) async throws {
    let url = "https://notes.example/r?request_id=rq-1&result=\(hint)"
    let outcome = try await Self.confirm(url, .json(Fixture.resultJSON("pending")))
    #expect(outcome == (.notDecided, nil, 1))
  }

  @Test(arguments: ["approved", "declined", "", "nonsense"])
  func theNodesDecisionCountsWhateverTheReturnSays(hint: String) async throws {
    let url = "https://notes.example/r?request_id=rq-1&result=\(hint)"
    #expect(try await Self.confirm(url, .json(Fixture.approvedOrg)) == (nil, .approved, 1))
    #expect(
      try await Self.confirm(url, .json(Fixture.resultJSON("declined"))) == (nil, .declined, 1))
  }

  @Test(arguments: [
    "https://notes.example/r", "mero:return?x=1", "https://notes.example/r?result=approved",
  ])
  func aReturnThatNamesNoRequestIsConfirmedAgainstTheNode(url: String) async throws {
    #expect(try await Self.confirm(url, .json(Fixture.approvedOrg)) == (nil, .approved, 1))
  }

  @Test func givesTheOutcomeOfTheNode() async throws {
    let client = try Fixture.client(ScriptedNode(replies: [.json(Fixture.approvedOrg)]))
    let result = try await client.confirmConsentReturn(Fixture.started, returned: Self.good)
    #expect(result.orgId == "org-1")
    #expect(result.kind == .createOrg)
    #expect(result.changesOrganizations)
  }

  @Test func checksTheOutcomeAgainstWhatWasStarted() async throws {
    let approval = NodeReply.json(Fixture.resultJSON("approved"))
    #expect(try await Self.confirm(Self.good, approval) == (.resultInvalid, nil, 1))
  }

  @Test func anUnreachableNodeConfirmsNothing() async throws {
    let node = ScriptedNode { _, _ throws(ConsentError) in throw ConsentError(.nodeUnreachable) }
    let client = try Fixture.client(node)
    #expect(
      await code {
        try await client.confirmConsentReturn(Fixture.started, returned: Self.good)
      } == .nodeUnreachable)
  }
}
