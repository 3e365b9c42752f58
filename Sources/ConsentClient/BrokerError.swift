public import MeroConsent

/// Why a call of the daemon has no result. Two errors are equal when their codes are.
public struct BrokerError: Error, Sendable, Equatable {
  /// Stable, and open: a code of a newer daemon is kept as it is, never guessed at.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public let code: Code
  /// One or two sentences for a person that say what to do next. Nothing in them is secret.
  public let advice: String
  /// The HTTP status of the daemon's answer; `nil` where there was none.
  public let status: Int?
  /// The request that it is about, where the daemon named one.
  public let requestId: String?
  /// The field, header or parameter that was refused: `request.name`.
  public let field: String?
  /// The HTTP status of the node's answer, where that is what is wrong.
  public let nodeStatus: Int?
  /// How many seconds to wait before asking again, where the daemon said so.
  public let retryAfter: Int?
  /// The request that waits for a decision all the same, where only its page could not be opened.
  public let started: ConsentStarted?

  init(
    _ code: Code, _ advice: String, status: Int? = nil, requestId: String? = nil,
    field: String? = nil, nodeStatus: Int? = nil, retryAfter: Int? = nil,
    started: ConsentStarted? = nil
  ) {
    self.code = code
    self.advice = advice
    self.status = status
    self.requestId = requestId
    self.field = field
    self.nodeStatus = nodeStatus
    self.retryAfter = retryAfter
    self.started = started
  }

  /// The protocol's own error; `nil` where the code is the daemon's or this library's.
  public var consentCode: ConsentError.Code? { ConsentError.Code(rawValue: code.rawValue) }

  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension BrokerError.Code {
  /// One of the protocol's codes.
  public init(_ code: ConsentError.Code) { self.init(rawValue: code.rawValue) }

  // This library's own.

  /// No daemon answers on the socket: it is not running, or not installed.
  public static let daemonUnavailable = Self(rawValue: "DAEMON_UNAVAILABLE")
  /// Another user's process listens there. Nothing was sent to it.
  public static let daemonUntrusted = Self(rawValue: "DAEMON_UNTRUSTED")
  /// The daemon's answer cannot be read; perhaps it is of another version.
  public static let answerInvalid = Self(rawValue: "DAEMON_ANSWER_INVALID")
  /// The daemon took too long.
  public static let timedOut = Self(rawValue: "DAEMON_TIMED_OUT")
  /// The task that called was cancelled. The request itself goes on.
  public static let callCancelled = Self(rawValue: "CALL_CANCELLED")

  // The daemon's own.

  /// The key is no session's: the session was closed, or has ended unused.
  public static let keyRequired = Self(rawValue: "KEY_REQUIRED")
  /// There is no such request, or it is another session's.
  public static let notFound = Self(rawValue: "NOT_FOUND")
  public static let fieldInvalid = Self(rawValue: "FIELD_INVALID")
  public static let idempotencyKeyReused = Self(rawValue: "IDEMPOTENCY_KEY_REUSED")
  /// Too many connections, waits, streams or undecided requests: see `retryAfter`.
  public static let tooMany = Self(rawValue: "TOO_MANY")
  /// The daemon is ending; it, or its successor, is back in a moment.
  public static let stopping = Self(rawValue: "STOPPING")
}

extension BrokerError: CustomStringConvertible {
  /// `CONSENT_REPLACED: …`, what to do next.
  public var description: String { "\(code.rawValue): \(advice)" }
}

extension BrokerError {
  /// For tests, which compare codes.
  package init(testing code: Code) { self.init(code, "") }

  static let cancelled = BrokerError(.callCancelled, "The app stopped waiting for this answer.")

  static func answerInvalid(_ what: String) -> BrokerError {
    BrokerError(
      .answerInvalid,
      "The consent daemon's answer cannot be used: \(what). Daemon and app may be of versions "
        + "that do not fit; update both.")
  }
}
