/// How the program ends. Scripts rely on the numbers: add, never change.
enum ExitCode: Int32, Sendable, CaseIterable {
  /// Done; of a request: approved.
  case done = 0
  /// `doctor` found something that does not work, or a scheme is not as it was asked for.
  case faulty = 1
  case declined = 3
  case notDecided = 4
  case mismatch = 5
  case replaced = 6
  case expired = 7
  case cancelled = 8
  /// EX_USAGE.
  case usage = 64
  /// EX_DATAERR.
  case badData = 65
  /// EX_UNAVAILABLE.
  case unavailable = 69
  /// EX_IOERR.
  case notWritten = 74
  /// EX_NOPERM.
  case notAllowed = 77
  /// EX_CONFIG.
  case configuration = 78

  /// What it means, as help and the manual page have it.
  func meaning(isDecision: Bool) -> String {
    switch self {
    case .done: isDecision ? "approved" : "done"
    case .faulty:
      "doctor: something does not work; register-scheme, unregister-scheme: the scheme does not open "
        + "as it was asked for"
    case .declined: "declined"
    case .notDecided: "not decided yet"
    case .mismatch: "the return belongs to another request"
    case .replaced: "replaced by a newer request of the same account"
    case .expired: "expired before anybody decided"
    case .cancelled: "cancelled"
    case .usage: "the command line is wrong"
    case .badData: "a request, a file or an answer cannot be used"
    case .unavailable: "the daemon or the node cannot be reached, or no browser can be opened"
    case .notWritten: "the output cannot be written"
    case .notAllowed:
      "not allowed: the session has ended, the node is not trusted, or a file is not private"
    case .configuration: "the configuration is wrong or missing"
    }
  }
}
