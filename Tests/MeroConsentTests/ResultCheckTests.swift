import MeroConsent
import Testing

/// What `consentResult` makes of the node's answer.
@Suite struct ResultCheckTests {
  static func read(
    _ json: String, kind: ConsentKind = .createOrg, status: Int = 200
  ) async throws -> Result<ConsentResult, ConsentError> {
    let client = try Fixture.client(ScriptedNode(replies: [.json(json, status: status)]))
    do throws(ConsentError) {
      return .success(try await client.consentResult("rq-1", kind: kind))
    } catch {
      return .failure(error)
    }
  }

  static func isRefused(_ json: String, kind: ConsentKind = .createOrg) async throws -> Bool {
    try await read(json, kind: kind) == .failure(ConsentError(.resultInvalid))
  }

  @Test(arguments: ConsentKind.allCases)
  func answersAnApprovalWithTheOutcomeOfItsKind(kind: ConsentKind) async throws {
    let json = Fixture.resultJSON("approved", outcome: Fixture.outcomeJSON(kind))
    let result = try await Self.read(json, kind: kind).get()
    #expect(result.status == .approved)
    #expect(result.outcome?.kind == kind.outcome)
    #expect(result.orgId == (kind == .createOrg ? "org-1" : nil))
    #expect(result.inviteToken == (kind == .createInvite ? "invite-token" : nil))
    #expect(result.joinedOrg == (kind == .acceptInvite ? "org-1" : nil))
    #expect(result.newOrgName == (kind == .renameOrg ? "New" : nil))
    #expect(result.deletedApps == (kind == .deleteOrg ? ["app-1", "app-2"] : nil))
    #expect(
      result.changesOrganizations == ![.release, .upgrade, .outbound].contains(kind))
  }

  @Test(arguments: ConsentKind.allCases, ["pending", "declined"])
  func answersTheOthersWithoutOne(kind: ConsentKind, status: String) async throws {
    let result = try await Self.read(Fixture.resultJSON(status), kind: kind).get()
    #expect(result.status.rawValue == status)
    #expect(result.outcome == nil)
    #expect(!result.changesOrganizations)
    let null = try await Self.read(Fixture.resultJSON(status, outcome: "null"), kind: kind).get()
    #expect(null == result)
  }

  @Test(arguments: ConsentKind.allCases.filter { Fixture.outcomeJSON($0) != nil })
  func refusesAnApprovalWithoutItsOutcome(kind: ConsentKind) async throws {
    #expect(try await Self.isRefused(Fixture.resultJSON("approved"), kind: kind))
    #expect(try await Self.isRefused(Fixture.resultJSON("approved", outcome: "null"), kind: kind))
  }

  /// Every outcome on every other kind: wrong where there should be another, and where none.
  @Test(arguments: ConsentKind.allCases, ConsentKind.allCases)
  func refusesAnOutcomeOfAnotherKind(asked: ConsentKind, answered: ConsentKind) async throws {
    guard let outcome = Fixture.outcomeJSON(answered), asked != answered else { return }
    #expect(
      try await Self.isRefused(Fixture.resultJSON("approved", outcome: outcome), kind: asked))
  }

  @Test(arguments: ConsentKind.allCases, ["pending", "declined"])
  func refusesAnOutcomeThatWasNotApproved(kind: ConsentKind, status: String) async throws {
    let outcome = Fixture.outcomeJSON(kind) ?? #"{"kind":"orgCreated","orgId":"o"}"#
    #expect(try await Self.isRefused(Fixture.resultJSON(status, outcome: outcome), kind: kind))
  }

  @Test(arguments: [
    "rq-2", "", "RQ-1", "rq-1 ", "rq-1\\u0000",
  ])
  func refusesAnAnswerForAnotherRequest(id: String) async throws {
    let json = Fixture.resultJSON(
      "approved", requestId: id, outcome: #"{"kind":"orgCreated","orgId":"o"}"#)
    #expect(try await Self.isRefused(json))
  }

  @Test func comparesTheIdByteForByte() async throws {
    let client = try Fixture.client(
      ScriptedNode(replies: [.json(Fixture.resultJSON("pending", requestId: "e\u{301}"))]))
    #expect(await code { try await client.consentResult("\u{e9}") } == .resultInvalid)
    #expect(await code { try await client.consentResult("e\u{301}") } == nil)
  }

  @Test(arguments: [
    "APPROVED", "Approved", "approve", "approved ", "denied", "accepted", "", "true", "expired",
  ])
  func refusesAStatusThatIsNotAnExactKnownWord(status: String) async throws {
    #expect(try await Self.isRefused(Fixture.resultJSON(status)))
  }

  @Test(arguments: [
    "", "{}", "null", "[]", "true", "<html><body>Sign in</body></html>",
    #"{"status":"approved"}"#, #"{"requestId":"rq-1"}"#, #"{"requestId":"rq-1","status":null}"#,
    #"{"requestId":"rq-1","status":["approved"]}"#, #"{"requestId":"rq-1","status":"approv"#,
    #"{"requestId":7,"status":"pending"}"#, #"{"data":{}}"#, #"{"data":null}"#,
    #"{"requestId":"rq-1","status":"pending"}}"#, #"{"requestId":"rq-1","status":"pending"} x"#,
    #"{"requestId":"rq-1","status":"approved","outcome":"orgCreated"}"#,
    #"{"requestId":"rq-1","status":"approved","outcome":[]}"#,
    #"{"requestId":"rq-1","status":"approved","outcome":{}}"#,
    #"{"requestId":"rq-1","status":"approved","outcome":{"orgId":"o"}}"#,
    #"{"requestId":"rq-1","status":"approved","outcome":{"kind":"orgMade","orgId":"o"}}"#,
    #"{"requestId":"rq-1","status":"approved","outcome":{"kind":"orgCreated"}}"#,
    #"{"requestId":"rq-1","status":"approved","outcome":{"kind":"orgCreated","orgId":""}}"#,
    #"{"requestId":"rq-1","status":"approved","outcome":{"kind":"orgCreated","orgId":7}}"#,
    #"{"requestId":"rq-1","status":"approved","outcome":{"kind":"orgCreated","org":"o"}}"#,
  ])
  func refusesWhatIsNoResult(json: String) async throws {
    #expect(try await Self.isRefused(json))
  }

  @Test(arguments: [
    (ConsentKind.createInvite, #"{"kind":"inviteCreated","token":""}"#),
    (.createInvite, #"{"kind":"inviteCreated"}"#),
    (.acceptInvite, #"{"kind":"inviteAccepted","org":""}"#),
    (.acceptInvite, #"{"kind":"inviteAccepted","orgId":"o"}"#),
    (.renameOrg, #"{"kind":"orgRenamed","orgId":"o"}"#),
    (.renameOrg, #"{"kind":"orgRenamed","name":"n"}"#),
    (.renameOrg, #"{"kind":"orgRenamed","orgId":"o","name":""}"#),
    (.deleteOrg, #"{"kind":"orgDeleted"}"#),
    (.deleteOrg, #"{"kind":"orgDeleted","apps":"a"}"#),
    (.deleteOrg, #"{"kind":"orgDeleted","apps":[1]}"#),
  ])
  func refusesAnOutcomeThatIsNotWhole(kind: ConsentKind, outcome: String) async throws {
    #expect(try await Self.isRefused(Fixture.resultJSON("approved", outcome: outcome), kind: kind))
  }

  @Test func takesAnOrganizationThatHadNoApps() async throws {
    let json = Fixture.resultJSON("approved", outcome: #"{"kind":"orgDeleted","apps":[]}"#)
    #expect(try await Self.read(json, kind: .deleteOrg).get().deletedApps == [])
  }

  @Test func unwrapsDataAndIgnoresUnknownFields() async throws {
    let outcome = #"{"kind":"orgCreated","orgId":"o","more":{}}"#
    let answer = Fixture.resultJSON("approved", outcome: outcome).dropLast() + #","x":[1]}"#
    let json = #"{"data":\#(answer),"y":2}"#
    #expect(try await Self.read(json).get().orgId == "o")
  }

  // MARK: Without the kind

  @Test func remembersTheKindOfItsOwnRequests() async throws {
    let node = ScriptedNode(replies: [
      .json(Fixture.startedJSON(), status: 201), .json(Fixture.resultJSON("approved")),
    ])
    let client = try Fixture.client(node)
    _ = try await client.requestConsent(.createOrg(name: "n"))
    #expect(await code { try await client.consentResult("rq-1") } == .resultInvalid)
  }

  @Test func checksWhatItCanOfARequestThatItDoesNotKnow() async throws {
    func read(_ json: String) async throws -> Result<ConsentResult, ConsentError> {
      let client = try Fixture.client(ScriptedNode(replies: [.json(json)]))
      do throws(ConsentError) {
        return .success(try await client.consentResult("rq-1"))
      } catch {
        return .failure(error)
      }
    }
    #expect(try await read(Fixture.approvedOrg).get().orgId == "org-1")
    // Reading again does no harm where it was a release after all.
    #expect(try await read(Fixture.resultJSON("approved")).get().changesOrganizations)
    let invalid = Result<ConsentResult, ConsentError>.failure(ConsentError(.resultInvalid))
    let outcome = #"{"kind":"orgCreated","orgId":"o"}"#
    #expect(try await read(Fixture.resultJSON("pending", outcome: outcome)) == invalid)
    #expect(try await read(Fixture.resultJSON("approved", outcome: "{}")) == invalid)
  }

  // MARK: Statuses

  @Test func takesTheNodes404ForReplaced() async throws {
    #expect(try await Self.read("", status: 404) == .failure(ConsentError(.replaced)))
  }

  @Test(arguments: [201, 204, 302, 400, 403, 410, 429, 500, 502, 503])
  func reportsOtherStatuses(status: Int) async throws {
    guard case .failure(let error) = try await Self.read(Fixture.approvedOrg, status: status) else {
      Issue.record("no error")
      return
    }
    #expect(error.code == .nodeError)
    #expect(error.nodeStatus == status)
  }
}
