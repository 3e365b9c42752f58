package import MeroConsent

/// Why the broker refuses a call. The local API turns each case into one problem document.
package enum Problem: Error, Sendable {
  /// One of the protocol's own codes, with the request it is about where there is one.
  case consent(ConsentError, requestId: String?)
  /// No key: 401.
  case unauthorized
  /// A key that is no session's, or no longer: 401.
  case noSession
  /// Not there, or another session's, which is the same to the caller: 404.
  case notFound
  /// A limit of `BrokerLimits` is reached: 429, with `Retry-After` in seconds.
  case tooMany(Limit, retryAfter: Int)
  /// An `Idempotency-Key` that was used with another body: 422.
  case idempotencyKeyReused
  /// A value that only the broker can judge (`before` that names no request, a bad key): 422.
  case invalid(field: String, detail: String)
  /// Only the configuration closes its sessions: 409.
  case sessionIsConfigured
  /// The daemon is ending: 503 with `Retry-After: 1`.
  case stopping

  /// What there are too many of.
  package enum Limit: String, Sendable {
    case sessions
    case openRequests
    case waits
    case eventStreams
    case returns
  }
}

/// The broker's limits, each with its reason.
package enum BrokerLimits {
  /// Open sessions: a desktop has tens of apps, and each session may hold a node connection.
  package static let sessions = 128
  /// Undecided requests of one session: a node keeps one an account, so this is generous.
  package static let openRequests = 64
  /// Bytes of what undecided requests, and starts that wait for their nodes, are made of: what each
  /// has for itself, into which ordinary ones fit, and what all have together beyond that.
  package static let openRequestBytes = 1024
  package static let allOpenRequestBytes = 4 * 1024 * 1024
  /// Event streams of one session, and of all.
  package static let eventStreams = 16
  package static let allEventStreams = 256
  /// Calls of apps that wait for the verdict on a return, for one request and for all of a session.
  package static let returnCallsOfARequest = 16
  package static let returnCalls = 64
  /// Returns without a ticket that name no undecided request, while the record is asked.
  package static let lookupsOfReturns = 64
  /// The longest wait that `Prefer: wait` may ask for, in seconds.
  package static let longestWait = 300
  /// `limit` of a list, and its default.
  package static let listLimit = 200
  package static let listDefault = 50
  /// Bytes of the longest outcome that a list tells: one of `listLimit` such fits into what may be
  /// sent to one client.
  package static let listedOutcome = 4 * 1024
  /// Bytes of the long outcomes of verdicts that wait for the disk: a node has the others still.
  package static let unwrittenOutcomes = 4 * 1024 * 1024
  /// Bytes of an `Idempotency-Key`: 1 to this.
  package static let idempotencyKey = 255
  /// Bytes of a package's name, and origins of one session.
  package static let packageBytes = 255
  package static let origins = 64
  /// Seconds of the longest lifetime of a request; a longer one is cut, and the record says so.
  package static let longestLifetime = 86_400.0

  /// Whether it can be a package's name.
  static func isPackage(_ text: String) -> Bool {
    (1...packageBytes).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7f }
  }
}
