import FoundationEssentials
import Testing

@testable import MeroConsent

/// Every way in which Swift turns a value into text, around a marker that must not be seen.
@Suite struct RedactionTests {
  static let marker = "mArKeR-9b1f"

  static func texts(of value: Any) -> [String] {
    var printed = ""
    print(value, to: &printed)
    var debugPrinted = ""
    debugPrint(value, to: &debugPrinted)
    var dumped = ""
    dump(value, to: &dumped)
    var mirrored = ""
    dump(Mirror(reflecting: value).children.map { $0 }, to: &mirrored)
    let array = [value]
    let optional: Any? = value
    return [
      printed, debugPrinted, dumped, mirrored, "\(value)", String(describing: value),
      String(reflecting: value), "\(array)", String(reflecting: optional), "\(["k": value])",
    ]
  }

  static let values: [any Sendable] = {
    let result = ConsentResult(
      requestId: "rq-1", kind: .createInvite, status: .approved,
      outcome: .inviteCreated(token: marker))
    let request = ConsentRequest.acceptInvite(token: marker, returnTo: "https://a.example/")
    return [
      request, request.generated(), ConsentRequestBody(request, returnTo: "https://b.example/"),
      ConsentOutcome.inviteCreated(token: marker), result,
      OutcomeBody(.inviteCreated(token: marker)),
      SessionTokens(accessToken: marker, refreshToken: marker),
      MeroClient.Reading(answer: .success(result), nodeDate: nil),
    ]
  }()

  @Test(arguments: values.indices)
  func noTextShowsACredential(index: Int) {
    for text in Self.texts(of: Self.values[index]) {
      #expect(!text.contains(Self.marker), "\(type(of: Self.values[index])): \(text)")
    }
  }

  @Test(arguments: [
    ConsentRequest.acceptInvite(token: marker) as any Sendable,
    ConsentRequest.acceptInvite(token: marker).generated(),
    ConsentOutcome.inviteCreated(token: marker),
    ConsentResult(
      requestId: "rq-1", kind: .createInvite, status: .approved,
      outcome: .inviteCreated(token: marker)),
    SessionTokens(accessToken: marker),
  ])
  func saysThatSomethingIsHidden(value: any Sendable) {
    #expect("\(value)".contains("<redacted>"))
    #expect(String(reflecting: value).contains("<redacted>"))
  }

  @Test func theOtherPartsCanBeRead() {
    let request = ConsentRequest.setMemberTeams(
      org: "o-1", account: "a-1",
      teams: [.init(team: "t-1", role: .admin, capabilities: .createContext)])
    for part in ["setMemberTeams", "o-1", "a-1", "t-1", "admin"] {
      #expect("\(request)".contains(part))
    }
    #expect("\(ConsentRequest.createOrg(name: "Acme"))" == #"createOrg(name: "Acme")"#)
    #expect("\(ConsentOutcome.orgCreated(orgId: "org-1"))" == #"orgCreated(orgId: "org-1")"#)
  }

  @Test func theTokenIsReadWhereItIsAskedFor() {
    let result = ConsentResult(
      requestId: "rq-1", kind: .createInvite, status: .approved,
      outcome: .inviteCreated(token: Self.marker))
    #expect(result.inviteToken == Self.marker)
  }

  @Test func aClientShowsItsNodeOnly() throws {
    let client = try Fixture.client(
      ScriptedNode(replies: []), tokens: SessionTokens(accessToken: Self.marker))
    for text in Self.texts(of: client) {
      #expect(!text.contains(Self.marker))
      #expect(text.contains("node.example"))
    }
  }

  // MARK: Errors

  /// Whatever goes wrong around a credential, the error does not repeat it.
  static func errors() async throws -> [ConsentError] {
    var errors: [ConsentError] = []
    func collect(_ node: ScriptedNode, _ request: ConsentRequest) async throws {
      let client = try Fixture.client(
        node, tokens: SessionTokens(accessToken: marker, refreshToken: marker))
      do throws(ConsentError) {
        _ = try await client.requestConsent(request)
      } catch { errors.append(error) }
      do throws(ConsentError) {
        _ = try await client.consentResult(marker, kind: .createInvite)
      } catch { errors.append(error) }
    }
    let long = String(repeating: marker, count: 100)
    for reply in [
      NodeReply.json(#"{"error":"\#(marker)"}"#, status: 400), .tokenExpired,
      .json("\(marker)"), .json(#"{"data":"\#(marker)"}"#), .json("", status: 404),
      .json(Fixture.startedJSON(url: "https://\(marker).example/")),
      .json(Fixture.startedJSON(code: marker + "\\n")),
      .json(Fixture.startedJSON(requestId: marker)),
      .json(Fixture.startedJSON(expiresAt: #""\#(marker)""#)),
      .json(Fixture.resultJSON(marker, requestId: marker)),
      .json(
        Fixture.resultJSON(
          "approved", requestId: marker, outcome: #"{"kind":"\#(marker)","token":"\#(marker)"}"#)),
      .json(
        Fixture.resultJSON(
          "pending", requestId: marker,
          outcome: #"{"kind":"inviteCreated","token":"\#(marker)"}"#)),
    ] {
      try await collect(ScriptedNode(replies: [reply]), .acceptInvite(token: marker))
    }
    try await collect(ScriptedNode(replies: [.json("{}")]), .acceptInvite(token: long))
    for json in [
      #"{"kind":"acceptInvite","token":{"x":"\#(marker)"}}"#,
      #"{"kind":"acceptInvite","token":"\#(marker)","returnTo":7}"#,
      #"{"kind":"\#(marker)"}"#, #"{"kind":"acceptInvite","token":"\#(marker)""#,
    ] {
      do {
        _ = try JSONDecoder().decode(ConsentRequestBody.self, from: Data(json.utf8))
      } catch let error as ConsentError { errors.append(error) } catch {}
    }
    for url in ["mero://return?request_id=\(marker)%", "x?\(marker)", "https://a/?request_id="] {
      if let error = refusal({ try ReturnURL(url) }) { errors.append(error) }
    }
    for bad in [marker + "\n", ""] {
      let error = refusal {
        try Fixture.client(ScriptedNode(replies: []), tokens: SessionTokens(accessToken: bad))
      }
      if let error { errors.append(error) }
    }
    return errors
  }

  @Test func noErrorShowsACredential() async throws {
    let errors = try await Self.errors()
    #expect(errors.count > 25)
    for error in errors {
      for text in Self.texts(of: error) { #expect(!text.contains(Self.marker)) }
      let document = try JSONEncoder().encode(ProblemDocument(error))
      #expect(!String(decoding: document, as: UTF8.self).contains(Self.marker))
    }
  }

  @Test func aCauseIsNotPrintedAndNotSent() throws {
    let error = ConsentError(.nodeUnreachable, cause: ConsentError(.nodeError, advice: Self.marker))
    for text in Self.texts(of: error) { #expect(!text.contains(Self.marker)) }
    let document = try JSONEncoder().encode(ProblemDocument(error))
    #expect(!String(decoding: document, as: UTF8.self).contains(Self.marker))
  }
}

@Suite struct ProblemDocumentTests {
  @Test func holdsWhatTheDesignNames() throws {
    let error = ConsentError.requestInvalid("teams[0]", "is empty")
    let document = ProblemDocument(error, requestId: "rq-1")
    #expect(document.status == 422)
    #expect(document.code == "CONSENT_REQUEST_INVALID")
    #expect(document.detail == error.advice)
    #expect(document.field == "teams[0]")
    #expect(document.requestId == "rq-1")
    #expect(document.type.hasPrefix("urn:"))
    #expect(!document.title.isEmpty)
  }

  @Test(arguments: ConsentError.Code.allCases)
  func isTheErrorAgainOnTheOtherSide(code: ConsentError.Code) throws {
    let error = ConsentError(code, field: "f", nodeStatus: 500)
    let bytes = try JSONEncoder().encode(ProblemDocument(error))
    let document = try JSONDecoder().decode(ProblemDocument.self, from: bytes)
    let again = try #require(document.error)
    #expect(again == error)
    #expect(again.advice == error.advice)
    #expect(again.field == "f")
    #expect(again.nodeStatus == 500)
  }

  @Test func leavesOutWhatThereIsNot() throws {
    let bytes = try JSONEncoder().encode(ProblemDocument(ConsentError(.replaced)))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("requestId") && !text.contains("field") && !text.contains("null"))
  }
}
