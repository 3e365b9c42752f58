import ConsentClient
import EventLoop
import Glibc
import MeroConsent

/// How a command that ends with a decision tells it.
enum ResultOptions {
  static let showSecret = Option(
    "show-secret", help: "print an invite's token, which whoever has it can use")
  static let output = Option(
    "output", letter: "o", "FILE",
    help: "write an invite's token to a new file that only you can read", values: .file)
  static let timeout = Option(
    "timeout", "SECONDS", help: "wait no longer than that (default: until the request ends)")

  static let all = [showSecret, output]

  /// What can be known before anything is asked of anybody.
  ///
  /// - Throws: where `--output` names a file that is there.
  static func check(_ arguments: ParsedArguments) throws(CommandFailure) {
    _ = try timeout(arguments)
    guard let path = arguments.value(output) else { return }
    do {
      _ = try Files.status(of: path, followsLink: false)
    } catch {
      guard error.code != ENOENT else { return }
      throw failed(path, error)
    }
    throw CommandFailure(
      .notWritten, .outputFailed, "\(path) is there already",
      hint: "--output makes a new file; choose another name.", field: path)
  }

  static func timeout(_ arguments: ParsedArguments) throws(CommandFailure) -> Duration? {
    guard let text = arguments.value(timeout) else { return nil }
    guard let seconds = Int(text), (0...86_400).contains(seconds) else {
      throw .usage("--timeout: “\(text)” is not a number of seconds from 0 to 86400")
    }
    return .seconds(seconds)
  }

  /// Tells how a request stands, and what came of it.
  ///
  /// - Parameter isStart: it was started a moment ago, and nobody can have decided.
  @LoopActor static func tell(
    _ request: BrokerRequest, _ arguments: ParsedArguments, on terminal: Terminal,
    isStart: Bool = false
  ) throws(CommandFailure) -> ExitCode {
    let shows = arguments.has(showSecret)
    if case .inviteCreated(let token) = request.outcome {
      if let path = arguments.value(output) {
        try write(
          token, to: path,
          orElse: arguments.again("result", .session, request.requestId, "--output", "FILE"))
        terminal.say("The invite's token is in \(escaped(path)).")
      } else if !shows {
        terminal.say(
          "The invite's token is not shown: --show-secret prints it, --output FILE keeps it.")
      }
    }
    try terminal.document(RequestDocument(request, showsSecret: shows))
    try terminal.print(RequestLines.lines(request, showsSecret: shows, terminal.style))
    if request.state != .approved, !isStart {
      let code = request.explainedBy.map { "\($0): " } ?? ""
      let sentence = RequestLines.sentence(request, renewal: SessionHints.renewal(arguments))
      terminal.say(escaped(code + sentence))
    }
    return ExitCode(request)
  }

  private static func write(
    _ token: String, to path: String, orElse again: String
  ) throws(CommandFailure) {
    do throws(SystemError) {
      let file = try Files.open(path, .write, create: .exclusive(mode: 0o600), followsLink: false)
      do throws(SystemError) {
        try file.writeAll(Array((token + "\n").utf8))
        try file.sync()
      } catch {
        // Half a token helps nobody. It is ours: it was made a moment ago.
        try? Files.unlink(path)
        throw error
      }
    } catch {
      throw failed(path, error, orElse: again)
    }
  }

  private static func failed(
    _ path: String, _ error: SystemError, orElse again: String? = nil
  ) -> CommandFailure {
    CommandFailure(
      .notWritten, .outputFailed, "\(path) cannot be written: \(error)",
      hint: again.map { "The token is not lost: “\($0)” writes it." }, field: path)
  }
}
