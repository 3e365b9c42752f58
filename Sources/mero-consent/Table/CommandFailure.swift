/// Why a command did not do what it was asked to.
struct CommandFailure: Error, Sendable {
  let exit: ExitCode
  /// For programs, with `--json`: the protocol's or the daemon's code, or one of `Word`.
  let code: String
  /// What is wrong, in one or two sentences. May hold text from outside: it is escaped when shown.
  var message: String
  /// What to do next: a sentence, or a command to type.
  var hint: String?
  /// The option, field or file that it is about.
  var field: String?

  init(
    _ exit: ExitCode, _ code: Word, _ message: String, hint: String? = nil, field: String? = nil
  ) {
    self.init(exit, code: code.rawValue, message, hint: hint, field: field)
  }

  init(
    _ exit: ExitCode, code: String, _ message: String, hint: String? = nil, field: String? = nil
  ) {
    self.exit = exit
    self.code = code
    self.message = message
    self.hint = hint
    self.field = field
  }

  /// The command line's own codes.
  enum Word: String {
    case usage = "USAGE"
    case fileUnusable = "FILE_UNUSABLE"
    case fileNotPrivate = "FILE_NOT_PRIVATE"
    case outputFailed = "OUTPUT_FAILED"
    case noSession = "NO_SESSION"
    case sessionExists = "SESSION_EXISTS"
    case noRuntimeDirectory = "NO_RUNTIME_DIR"
    case urlMalformed = "RETURN_URL_MALFORMED"
    case notSupported = "NOT_SUPPORTED"
    case schemeRefused = "SCHEME_REFUSED"
    case noHome = "NO_HOME"
  }

  static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
    CommandFailure(.usage, .usage, message, hint: hint)
  }
}
