/// One way for the node to be wrong, by the name that `/dev/misbehave` takes.
package enum Misbehaviour: String, CaseIterable, Sendable {
  // Something else answers, and the call does not run.
  case redirect
  case htmlPage = "html-page"
  case status
  case refusal
  case busy
  case unknownSession = "unknown-session"
  case staleKey = "stale-key"
  case guarded
  case tokenExpired = "token-expired"
  case tokenRevoked = "token-revoked"
  case unauthorized
  case refreshRefused = "refresh-refused"

  // The call runs, and its answer is wrong.
  case wrongQuote = "wrong-quote"
  case wrongBinding = "wrong-binding"
  case wrongNonce = "wrong-nonce"
  case otherKey = "other-key"
  case noTransportKey = "no-transport-key"
  case longHandshake = "long-handshake"
  case codeMismatch = "code-mismatch"
  case codeMalformed = "code-malformed"
  case pageElsewhere = "page-elsewhere"
  case pageUnnamed = "page-unnamed"
  case noRequestID = "no-request-id"
  case expiresAt = "expires-at"
  case replaced
  case wrongRequest = "wrong-request"
  case unknownStatus = "unknown-status"
  case missingOutcome = "missing-outcome"
  case otherOutcome = "other-outcome"
  case outcomeOnDecline = "outcome-on-decline"
  case outcomeOnPending = "outcome-on-pending"
  case rawAnswer = "raw-answer"
  case bigBody = "big-body"
  case date

  // The answer is right, and its sealing is wrong.
  case contentType = "content-type"
  case unsealed
  case noEndFrame = "no-end-frame"
  case extraFrame = "extra-frame"
  case noHeadFrame = "no-head-frame"
  case secondHead = "second-head"
  case unknownFrame = "unknown-frame"
  case damagedFrame = "damaged-frame"
  case longFrame = "long-frame"

  // All is right but the way to the client.
  case slow
  case drip
  case neverAnswers = "never-answers"
  case cutBeforeHead = "cut-before-head"
  case cutInBody = "cut-in-body"
}

extension Misbehaviour {
  /// When in a call it acts. Stages follow each other in this order.
  package enum Stage: Sendable {
    /// In place of the call: nothing ran.
    case instead
    case answer
    case sealing
    case wire
  }

  /// What `number` or `value` means to it.
  package enum Parameter: Sendable, Equatable {
    case none
    case number(String, default: Int)
    case text(String, default: String)
  }

  /// A line of the table.
  package struct Entry: Sendable {
    package let stage: Stage
    /// The calls that it can spoil, and does where a rule aims at none of them.
    package let calls: Set<CallName>
    package let takes: Parameter
    /// For a person who reads `--help`.
    package let about: String
  }

  /// Whether it has anything to spoil in this answer: a rule is used up by acting, so that
  /// "the next missing outcome" is not spent on an answer that is still pending.
  package func applies(to reading: Reading) -> Bool {
    switch self {
    case .codeMismatch, .codeMalformed, .pageElsewhere, .pageUnnamed, .noRequestID, .expiresAt:
      reading == .started
    case .replaced, .wrongRequest, .unknownStatus: reading != .started && reading != .none
    case .missingOutcome: reading == .approved(hasOutcome: true)
    case .otherOutcome:
      reading == .approved(hasOutcome: true) || reading == .approved(hasOutcome: false)
    case .outcomeOnDecline: reading == .declined
    case .outcomeOnPending: reading == .pending
    default: true
    }
  }
}
