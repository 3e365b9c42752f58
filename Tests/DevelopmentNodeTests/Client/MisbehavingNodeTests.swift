import DevelopmentNode
import EventLoop
import MeroConsent
import Testing

/// What a client of ours makes of each thing that the node can do wrong.
@LoopActor @Suite(.timeLimit(.minutes(1))) struct MisbehavingNodeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let misbehaviour: Misbehaviour
    let call: CallName
    var testDescription: String { "\(misbehaviour.rawValue) on \(call.rawValue)" }
  }

  /// Every misbehaviour on each call of a client that it can spoil. One that never answers
  /// has a test of its own.
  nonisolated static let cases: [Case] = Misbehaviour.allCases.flatMap { misbehaviour in
    CallName.allCases.filter(misbehaviour.entry.calls.contains)
      .filter { $0 != .page && $0 != .other && misbehaviour != .neverAnswers }
      .map { Case(misbehaviour: misbehaviour, call: $0) }
  }

  /// The code that the client reports; `nil` where it gets its answer in spite of all.
  private func code(_ row: Case) -> ConsentError.Code? {
    switch row.misbehaviour {
    case .redirect, .htmlPage, .status, .refusal, .guarded, .longHandshake, .noRequestID,
      .expiresAt, .bigBody, .contentType, .unsealed, .extraFrame, .noHeadFrame, .secondHead,
      .unknownFrame, .damagedFrame, .longFrame:
      .nodeError
    case .busy, .unknownSession, .tokenExpired, .date, .slow, .drip: nil
    case .staleKey: nil
    case .tokenRevoked, .unauthorized, .refreshRefused: .sessionExpired
    case .wrongQuote, .wrongBinding, .wrongNonce, .otherKey, .noTransportKey: .nodeUntrusted
    case .codeMismatch, .codeMalformed: .codeMismatch
    case .pageElsewhere, .pageUnnamed: .pageNotTrusted
    case .replaced: .replaced
    case .wrongRequest, .unknownStatus, .missingOutcome, .otherOutcome, .outcomeOnDecline,
      .outcomeOnPending:
      .resultInvalid
    case .rawAnswer: row.call == .result ? .resultInvalid : .nodeError
    case .noEndFrame, .cutBeforeHead, .cutInBody, .neverAnswers: .nodeUnreachable
    }
  }

  @Test(arguments: cases)
  func aClientOfOursSaysWhatIsWrong(_ row: Case) async throws {
    try await NodeAndClient.serving { it in
      let started = try await it.client.requestConsent(.createOrg(name: "Acme"))
      switch row.misbehaviour {
      case .outcomeOnPending: break
      case .outcomeOnDecline: try it.node.decide(started.requestId, .decline)
      default: try it.node.decide(started.requestId, .approve)
      }
      // The calls that were not made yet are made now: attestation and handshake.
      let client = row.call == .attest || row.call == .handshake ? try it.another() : it.client
      if row.call == .refresh { it.node.expireTokens() }
      // The least that still shows: a test does not wait for effect.
      let number: Int? =
        switch row.misbehaviour {
        case .slow, .drip, .busy: 0
        case .bigBody: (1 << 20) + 1
        default: nil
        }
      try it.node.misbehave(row.misbehaviour, on: row.call, number: number)
      var code: ConsentError.Code?
      do throws(ConsentError) {
        if row.call == .request {
          _ = try await client.requestConsent(.createOrg(name: "Other"))
        } else {
          _ = try await client.consentResult(started.requestId)
        }
      } catch {
        code = error.code
      }
      #expect(code == self.code(row))
      #expect(it.node.state.plan.rules.isEmpty, "it did not act")
    }
  }

  @Test func aNodeThatRestartedIsAttestedAgain() async throws {
    try await NodeAndClient.serving { it in
      let started = try await it.client.requestConsent(.createOrg(name: "Acme"))
      it.node.restart()
      let result = try await it.client.consentResult(started.requestId)
      #expect(result.status == .pending)
      #expect(it.node.state.calls[.attest] == 2)
    }
  }

  @Test func aPinnedKeyIsNotReplacedByARestart() async throws {
    try await NodeAndClient.serving { it in
      let client = try it.another(.transportKey(it.node.transportKeyHex))
      it.node.restart()
      await #expect(throws: ConsentError(.nodeUntrusted)) {
        _ = try await client.requestConsent(.createOrg(name: "Acme"))
      }
      #expect(it.node.state.calls[.attest] == nil)
    }
  }

  @Test func concurrentCallsShareOneSession() async throws {
    try await NodeAndClient.serving { it in
      let started = try await it.client.requestConsent(.createOrg(name: "Acme"))
      let calls = (0..<20).map { _ in
        Task { try await it.client.consentResult(started.requestId) }
      }
      for call in calls { _ = try await call.value }
      #expect(it.node.state.calls[.handshake] == 1)
      #expect(it.node.state.calls[.result] == 20)
    }
  }

  @Test func aNodeThatNeverAnswersIsGivenUp() async throws {
    try await NodeAndClient.serving { it in
      var limits = CarrierLimits()
      limits.call = .seconds(3)
      let client = try it.another(limits: limits)
      try it.node.misbehave(.neverAnswers, on: .request)
      // On a machine that is busy with others its time may be over before the node has it.
      repeat {
        await #expect(throws: ConsentError(.nodeUnreachable)) {
          try await client.requestConsent(.createOrg(name: "Acme"))
        }
      } while it.node.state.consents.all.isEmpty
      // It ran all the same: what a client does not hear may have happened.
      #expect(it.node.state.consents.all.count == 1)
    }
  }

  @Test func aCancelledCallLeavesANodeThatNeverAnswers() async throws {
    try await NodeAndClient.serving { it in
      try it.node.misbehave(.neverAnswers, on: .request)
      let call = Task { try await it.client.requestConsent(.createOrg(name: "Acme")) }
      while it.node.state.calls[.request] == nil {
        try await LoopActor.sleep(for: .milliseconds(1))
      }
      call.cancel()
      await #expect(throws: ConsentError(.cancelled)) { try await call.value }
    }
  }
}
