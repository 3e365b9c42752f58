import Crypto
package import Desktop
package import FoundationEssentials
package import MeroConsent

/// Where a request stands. Raw values are the protocol and the ledger's.
package enum RequestState: String, Sendable, CaseIterable {
  /// Written before the node is asked. Seen by an app only after a crash in between.
  case starting
  case started
  case approved
  case declined
  case replaced
  case expired
  case cancelled
  case failed

  /// Nothing changes a request any more.
  package var isFinal: Bool {
    switch self {
    case .starting, .started: false
    case .approved, .declined, .replaced, .expired, .cancelled, .failed: true
    }
  }
}

/// What came of the last return: `"OK"` where it confirmed a decision, else the error's code.
package struct LastReturn: Sendable, Equatable {
  package let at: Date
  package let code: String

  package init(at: Date, code: String) {
    self.at = at
    self.code = code
  }
}

/// Why nobody knows whether an undecided request is decided: the node cannot be read.
package struct ReadFailure: Sendable, Equatable {
  /// `NODE_UNREACHABLE`, `NODE_UNTRUSTED`, `NODE_ERROR`, `CONSENT_RESULT_INVALID`.
  package let code: ConsentError.Code
  /// The first of the reads that failed so, one after another.
  package let since: Date
  /// For a person, of that first read.
  package let advice: String
}

/// One request as its own session sees it.
package struct RequestView: Sendable {
  package var requestId: String
  /// `createOrg` and so on, as on the wire.
  package var kind: String
  package var state: RequestState
  package var createdAt: Date
  /// `nil` while `starting`.
  package var code: String?
  /// The page, `nil` while `starting`.
  package var url: String?
  /// By this machine's clock, corrected by the node's. `nil` while `starting`.
  package var expiresAt: Date?
  /// `http://127.0.0.1:<port>/return/<ticket>`; `nil` where the callback is not listening.
  package var callback: String?
  /// Whether the node gave more than 24 h and the lifetime was cut.
  package var lifetimeCut: Bool
  /// Of an approved request that has one. Carries an invite token: only for
  /// `GET /v1/requests/{id}`, `/return`, and waits, never for lists.
  package var outcome: ConsentOutcome?
  /// One that is long, as it was written, in the place of `outcome`; only its length where that is
  /// enough.
  var longOutcome: StoredOutcome?
  /// It has one, which memory has lost, and the node did not tell it again.
  var outcomeIsMissing = false
  /// `nil` until decided.
  package var changesOrganizations: Bool?
  package var decidedAt: Date?
  package var lastReturn: LastReturn?
  /// Of an undecided request whose last read failed.
  package var readFailure: ReadFailure?
  /// The code of a `failed` request.
  package var failure: ConsentError.Code?
  /// A sentence for a person where the state needs one.
  package var detail: String?
  /// `false` where the request is over and the disk has not taken that yet. What is told all the
  /// same is told again after a crash, and not otherwise.
  package var isRecorded: Bool
  /// The session's tokens are gone: `PATCH /v1/session` brings the request back to life.
  package var needsSession: Bool
  /// The record's, and how often it was written anew.
  var version: Version

  /// `approved` or `declined`, once decided.
  package var decision: RequestState? {
    switch state {
    case .approved, .declined: state
    case .starting, .started, .replaced, .expired, .cancelled, .failed: nil
    }
  }
}

extension RequestView {
  struct Version: Sendable {
    let number: Int64
    let revision: Int64
  }

  /// Strong, with its quotes (RFC 9110, section 8.8.3). Changes with everything that the view shows.
  package var etag: String {
    // What the record's version does not count. Whether a long outcome is at hand shows nowhere.
    let parts = [
      expiresAt.map { "\(Int64(($0.timeIntervalSince1970 * 1000).rounded()))" }, callback,
      lifetimeCut ? "cut" : nil, outcomeMark,
      readFailure.map { "\($0.code.rawValue) \($0.since.timeIntervalSince1970)" }, detail,
      isRecorded ? nil : "unrecorded", needsSession ? "needsSession" : nil,
    ]
    let text = parts.map { $0 ?? "" }.joined(separator: "\u{0}")
    let hash = Hex.encode(SHA256.hash(Array(text.utf8)).prefix(8))
    return "\"\(version.number).\(version.revision).\(hash)\""
  }
}

extension RequestView {
  /// What is recorded of an outcome its version counts; of one that is not, that is the node's word of
  /// now.
  private var outcomeMark: String? {
    if case .inviteCreated(let token)? = outcome { return token }
    return outcome == nil && longOutcome == nil ? nil : "outcome"
  }
}

/// One page of a list, newest first.
package struct RequestList: Sendable {
  package var requests: [RequestView]
  /// For `before` of the next page; `nil` on the last.
  package var next: String?
}

/// What came of the wish to have a request's page opened.
package enum PageResult: Sendable, Equatable {
  case opening(PageOpening)
  case unavailable(PageUnavailable.Reason)
  /// There is nothing to decide on it any more.
  case pointless
}

/// The answer to a start.
package struct StartResult: Sendable {
  package var view: RequestView
  /// What came of opening the page; `nil` where that was not asked for.
  package var page: PageResult?
  /// The request was there already (same `Idempotency-Key`, or recorded twice).
  package var repeated: Bool
}
