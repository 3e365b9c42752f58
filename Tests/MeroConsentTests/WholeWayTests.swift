import Crypto
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import DevelopmentNode

/// The client as an app makes it, over libcurl and real sockets, against the development node.
@Suite(.timeLimit(.minutes(2))) @LoopActor struct WholeWayTests {
  let node: DevelopmentNode

  init() throws {
    var options = NodeOptions()
    try options.set(.prefix, to: "/node-7")
    node = try DevelopmentNode(options)
    node.start()
  }

  func client(
    trust: NodeTrust = .development, limit: Duration = .seconds(30), host: String = "127.0.0.1"
  ) throws -> MeroClient {
    var options = MeroClient.Options()
    options.callLimit = limit
    return try MeroClient(
      node: NodeAddress("http://\(host):\(node.port)/node-7"), trust: trust,
      tokens: SessionTokens(accessToken: node.tokens.access, refreshToken: node.tokens.refresh),
      options: options)
  }

  func end(_ client: MeroClient) async {
    await client.close()
    await node.stop()
  }

  @Test(arguments: Fixture.everyRequest, ConsentBook.Decision.allCases)
  func everyKindIsAskedDecidedAndConfirmed(
    request: ConsentRequest, decision: ConsentBook.Decision
  ) async throws {
    let client = try client()
    var asked = try node.adapted(request)
    if case .acceptInvite = request {
      // An invite that the node minted itself.
      let minted = try await client.requestConsent(.createInvite(org: "o"))
      try node.decide(minted.requestId, .approve)
      let token = try #require(try await client.waitForConsent(minted).inviteToken)
      asked = .acceptInvite(token: token)
    }
    let started = try await client.requestConsent(asked)
    #expect(started.kind == request.kind)
    #expect(try await client.consentResult(started.requestId).status == .pending)
    try node.decide(started.requestId, decision)
    let result = try await client.confirmConsentReturn(
      started, returned: "mero://return?request_id=\(started.requestId)&result=nonsense")
    #expect(result.status == (decision == .approve ? .approved : .declined))
    #expect(result.outcome?.kind == (decision == .approve ? request.kind.outcome : nil))
    await end(client)
  }

  @Test func aNewerRequestReplacesTheOlder() async throws {
    let client = try client()
    let first = try await client.requestConsent(.createOrg(name: "a"))
    let second = try await client.requestConsent(.createOrg(name: "b"))
    #expect(await code { try await client.waitForConsent(first) } == .replaced)
    #expect(try await client.consentResult(second.requestId).status == .pending)
    await end(client)
  }

  @Test func aPinnedKeyNeedsNoAttestation() async throws {
    let client = try client(trust: .transportKey(Hex.encode(node.transportKey)))
    _ = try await client.requestConsent(.createOrg(name: "a"))
    #expect(node.state.calls[.attest] == nil)
    await end(client)
  }

  @Test func expiredTokensAreRenewedOnce() async throws {
    let client = try client()
    node.state.accounts.expireTokens(of: node.account, at: node.now)
    async let first = client.requestConsent(.createOrg(name: "a"))
    async let second = code { try await client.consentResult("rq-none") }
    _ = try await first
    #expect(await second == .replaced)
    #expect(node.state.calls[.refresh] == 1)
    await end(client)
  }

  @Test func aRefusedRefreshEndsTheSession() async throws {
    let client = try client()
    node.state.accounts.expireTokens(of: node.account, at: node.now)
    try node.misbehave(.refreshRefused)
    #expect(await code { try await client.consentResult("rq-1") } == .sessionExpired)
    #expect(await code { try await client.consentResult("rq-1") } == .sessionExpired)
    #expect(node.state.calls[.refresh] == 1)
    await end(client)
  }

  @Test func aClosedPortIsUnreachable() async throws {
    // The number of the node's port, in the family that nothing here listens on: one that was
    // closed may be given to another node at once.
    let client = try client(host: "[::1]")
    #expect(await code { try await client.consentResult("rq-1") } == .nodeUnreachable)
    await end(client)
  }

  // MARK: Misbehaviour

  /// What comes of a new request while the node is wrong in this way; `nil` where it goes well.
  /// No `default`: a new way to be wrong needs its line.
  static func codeOfRequest(_ wrong: Misbehaviour) -> ConsentError.Code? {
    switch wrong {
    case .redirect, .htmlPage, .status, .refusal, .guarded, .longHandshake, .noRequestID,
      .expiresAt, .rawAnswer, .bigBody, .contentType, .unsealed, .extraFrame, .noHeadFrame,
      .secondHead, .unknownFrame, .damagedFrame, .longFrame:
      .nodeError
    case .tokenRevoked, .unauthorized: .sessionExpired
    case .wrongQuote, .wrongBinding, .wrongNonce, .otherKey, .noTransportKey: .nodeUntrusted
    case .codeMismatch, .codeMalformed: .codeMismatch
    case .pageElsewhere, .pageUnnamed: .pageNotTrusted
    case .noEndFrame, .neverAnswers, .cutBeforeHead, .cutInBody: .nodeUnreachable
    case .busy, .unknownSession, .staleKey, .tokenExpired, .date, .slow, .drip, .refreshRefused,
      .replaced, .wrongRequest, .unknownStatus, .missingOutcome, .otherOutcome,
      .outcomeOnDecline, .outcomeOnPending:
      nil
    }
  }

  /// The same of reading an approved result.
  static func codeOfResult(_ wrong: Misbehaviour) -> ConsentError.Code? {
    switch wrong {
    case .replaced: .replaced
    case .wrongRequest, .unknownStatus, .missingOutcome, .otherOutcome, .rawAnswer: .resultInvalid
    default: codeOfRequest(wrong)
    }
  }

  static func call(_ wrong: Misbehaviour, _ wished: CallName) -> CallName? {
    let calls = wrong.entry.calls
    return calls.contains(wished) ? wished : [.attest, .handshake].first(where: calls.contains)
  }

  /// Short waits, where the misbehaviour waits.
  static func number(_ wrong: Misbehaviour) -> Int? {
    switch wrong {
    case .busy: 0
    case .slow: 100
    case .drip: 1
    default: nil
    }
  }

  @Test(arguments: Misbehaviour.allCases)
  func aRequestOfANodeThatMisbehaves(wrong: Misbehaviour) async throws {
    guard let call = Self.call(wrong, .request) else { return }
    let client = try client(limit: wrong == .neverAnswers ? .seconds(6) : .seconds(30))
    try node.misbehave(wrong, on: call, number: Self.number(wrong))
    #expect(
      await code { try await client.requestConsent(.createOrg(name: "a")) }
        == Self.codeOfRequest(wrong))
    // Only what surely did not run is asked twice.
    let again: Set<Misbehaviour> = [.tokenExpired, .unknownSession, .staleKey, .busy]
    if call == .request { #expect(node.state.calls[.request] == (again.contains(wrong) ? 2 : 1)) }
    await end(client)
  }

  @Test(arguments: Misbehaviour.allCases)
  func aResultOfANodeThatMisbehaves(wrong: Misbehaviour) async throws {
    guard let call = Self.call(wrong, .result), call == .result else { return }
    let client = try client(limit: wrong == .neverAnswers ? .seconds(6) : .seconds(30))
    let started = try await client.requestConsent(.createOrg(name: "a"))
    if wrong != .outcomeOnPending {
      try node.decide(started.requestId, wrong == .outcomeOnDecline ? .decline : .approve)
    }
    try node.misbehave(wrong, on: call, number: Self.number(wrong))
    let expected: ConsentError.Code? =
      wrong == .outcomeOnDecline || wrong == .outcomeOnPending
      ? .resultInvalid : Self.codeOfResult(wrong)
    #expect(
      await code { try await client.consentResult(started.requestId) } == expected)
    // It is over with the one answer: nothing of it stays behind in the client.
    if wrong != .tokenRevoked, wrong != .unauthorized {
      #expect(await code { try await client.consentResult(started.requestId) } == nil)
    }
    await end(client)
  }
}

extension DevelopmentNode {
  /// The request with a `returnTo` on the one origin that this node allows.
  fileprivate func adapted(_ request: ConsentRequest) throws -> ConsentRequest {
    let body = try JSONEncoder().encode(request.generated())
    let text = String(decoding: body, as: UTF8.self)
      .replacing(#""https:\/\/notes.example\/r""#, with: "\"\(state.place.returnTo)\"")
    return try JSONDecoder().decode(ConsentRequestBody.self, from: Data(text.utf8)).request
  }
}
