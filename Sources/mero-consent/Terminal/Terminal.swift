import EventLoop
import FoundationEssentials
import Glibc
import MeroConsent

/// Where a command's words go: what it found out to standard output, everything else to standard
/// error. With `--json`, standard output gets one document.
@LoopActor final class Terminal {
  /// What is at the other ends.
  struct Surroundings: Sendable {
    /// A person can be asked: standard input and standard error are a terminal.
    var isInteractive = false
    /// A line of standard error may be written over.
    var hasLiveLine = false
    var outputStyle = Style(isOn: false)
    var errorStyle = Style(isOn: false)
    /// Of standard output, else of standard error, else 80.
    var columns = 80
  }

  typealias Sink = @LoopActor @Sendable ([UInt8]) throws(SystemError) -> Void

  let wantsJSON: Bool
  let surroundings: Surroundings
  private let output: Sink
  private let error: Sink
  /// What stands on the line that may be written over.
  private var liveText = ""
  /// What is said when somebody ends the program with Ctrl-C.
  var farewell: [String] = []

  init(
    wantsJSON: Bool, _ surroundings: Surroundings, output: @escaping Sink, error: @escaping Sink
  ) {
    self.wantsJSON = wantsJSON
    self.surroundings = surroundings
    self.output = output
    self.error = error
  }

  var style: Style { surroundings.outputStyle }
  var errorStyle: Style { surroundings.errorStyle }
  var columns: Int { surroundings.columns }

  // MARK: Standard output

  /// Lines for a person or a script; nothing with `--json`. Text from outside has to be `escaped`.
  ///
  /// - Throws: `OUTPUT_FAILED`.
  func print(_ lines: [String]) throws(CommandFailure) {
    guard !wantsJSON, !lines.isEmpty else { return }
    clearLive()
    try write(lines.map { $0 + "\n" }.joined())
  }

  func print(_ line: String) throws(CommandFailure) { try print([line]) }

  /// The one document of `--json`; nothing without it.
  ///
  /// - Throws: `OUTPUT_FAILED`.
  func document(_ value: some Encodable) throws(CommandFailure) {
    guard wantsJSON else { return }
    try write(JSONText.document(value) + "\n")
  }

  /// Text that is the same with and without `--json`: help, a script.
  func raw(_ text: String) throws(CommandFailure) { try write(text) }

  private func write(_ text: String) throws(CommandFailure) {
    do {
      try output(Array(text.utf8))
    } catch {
      // Whoever read has what they wanted: `| head`.
      if error.code == EPIPE { ProcessEnd.by(SIGPIPE) }
      throw CommandFailure(
        .notWritten, .outputFailed, "standard output cannot be written: \(error)")
    }
  }

  // MARK: Standard error

  /// A line for the person who looks on. Text from outside has to be `escaped`.
  func say(_ line: String) {
    clearLive()
    // Where nobody reads it, nothing is lost.
    try? error(Array((line + "\n").utf8))
  }

  func say(_ lines: [String]) { for line in lines { say(line) } }

  /// A question that stays on its line.
  func ask(_ question: String) {
    clearLive()
    try? error(Array(question.utf8))
  }

  /// Shows a line that the next one replaces; nothing where that is not possible.
  func live(_ text: String) {
    guard surroundings.hasLiveLine, text != liveText else { return }
    let shown = Layout.cut(text, to: max(1, columns - 1))
    try? error(Array("\r\(shown)\u{1b}[K".utf8))
    liveText = text
  }

  func clearLive() {
    guard !liveText.isEmpty else { return }
    liveText = ""
    try? error(Array("\r\u{1b}[K".utf8))
  }

  // MARK: Failures

  /// Says why a command failed, on standard error, the code first, by which the documentation
  /// explains it; with `--json` as its document besides.
  func report(_ failure: CommandFailure) {
    say(
      "mero-consent: \(escaped(failure.code)): \(errorStyle.red(escaped(failure.message)))")
    if let hint = failure.hint { say(escaped(hint)) }
    // Where standard output is what failed, there is nobody to tell.
    try? document(FailureDocument(failure))
  }
}

/// `{"error":{…}}`.
private struct FailureDocument: Encodable {
  struct Body: Encodable {
    let code: String
    let message: String
    let hint: String?
    let field: String?
    let exitCode: Int32
  }

  let error: Body

  init(_ failure: CommandFailure) {
    error = Body(
      code: failure.code, message: failure.message, hint: failure.hint, field: failure.field,
      exitCode: failure.exit.rawValue)
  }
}
