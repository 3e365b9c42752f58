import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent

/// `mero-consent register-scheme` and `unregister-scheme`: an app's own scheme opens with
/// `mero-consent handle`.
enum SchemeCommands {
  private static let operand = Command.Operand(
    metavar: "SCHEME", help: "an app's own scheme, such as com.example.notes")

  static let register = Command(
    path: ["register-scheme"], group: .returns, summary: "let the daemon have an app's scheme",
    description: [
      "For this person: a desktop file of its own, the scheme's line among the defaults, and "
        + "nothing else. Schemes that are not an app's to take, such as https and mailto, are "
        + "refused."
    ],
    operands: [operand],
    exitCodes: [.done, .faulty, .usage, .badData, .notWritten, .configuration],
    faultMeaning: "the scheme does not open with mero-consent yet; a warning says what is missing",
    examples: [
      .init(text: "An app's own scheme", line: "mero-consent register-scheme com.example.notes")
    ],
    run: { (arguments, terminal) throws(CommandFailure) in
      let name = try scheme(arguments)
      let outcome = try await changing(name) {
        registration async throws(SchemeRegistration.Failure) in
        try await registration.register(program: ownPath())
      }
      try report(outcome, of: name, on: terminal)
      if outcome.wasSo {
        try terminal.print("\(name.text) was registered already; nothing was changed")
      } else if outcome.isDone {
        let before = outcome.before.map { "; before, \(escaped($0)) had it" } ?? ""
        try terminal.print("\(name.text) opens with mero-consent now\(before)")
      } else {
        let other = outcome.now.map { "\(escaped($0)) still has it" } ?? "nothing has it"
        try terminal.print("\(name.text) does not open with mero-consent yet: \(other)")
      }
      return outcome.isDone ? .done : .faulty
    })

  static let unregister = Command(
    path: ["unregister-scheme"], group: .returns, summary: "give an app's scheme back",
    description: [
      "Removes what register-scheme made. What had the scheme before has it again."
    ],
    operands: [operand],
    exitCodes: [.done, .faulty, .usage, .badData, .notWritten, .configuration],
    faultMeaning: "the scheme opens with mero-consent still: something else has registered it so",
    run: { (arguments, terminal) throws(CommandFailure) in
      let name = try scheme(arguments)
      let outcome = try await changing(name) {
        registration async throws(SchemeRegistration.Failure) in
        try await registration.unregister()
      }
      try report(outcome, of: name, on: terminal)
      let now = outcome.now.map { "\(escaped($0)) has it now" } ?? "nothing has it now"
      try terminal.print(
        outcome.wasSo
          ? "\(name.text) was not registered; nothing was changed"
          : "\(name.text) is not ours any more; \(now)")
      return outcome.isDone ? .done : .faulty
    })

  private struct Document: Encodable {
    let scheme: String
    let done: Bool
    let changed: Bool
    let before: String?
    let now: String?
  }

  @LoopActor private static func report(
    _ outcome: SchemeRegistration.Outcome, of name: SchemeName, on terminal: Terminal
  ) throws(CommandFailure) {
    for warning in outcome.warnings { terminal.say("warning: \(escaped(warning))") }
    try terminal.document(
      Document(
        scheme: name.text, done: outcome.isDone, changed: !outcome.wasSo, before: outcome.before,
        now: outcome.now))
  }

  private static func scheme(_ arguments: ParsedArguments) throws(CommandFailure) -> SchemeName {
    let text = try arguments.requiredOperand(0)
    do throws(SchemeName.Refusal) {
      return try SchemeName(text)
    } catch {
      let complaint =
        switch error {
        case .malformed: "is no URL scheme: a letter, then letters, digits, “+”, “-” and “.”"
        case .reserved: "is not an app's to take"
        }
      throw CommandFailure(
        .badData, .schemeRefused, "“\(text)” \(complaint)",
        hint: "Use a name that is the app's own, such as com.example.notes.", field: "SCHEME")
    }
  }

  @LoopActor private static func changing(
    _ name: SchemeName,
    _ change:
      @LoopActor (SchemeRegistration) async throws(SchemeRegistration.Failure) ->
      SchemeRegistration.Outcome
  ) async throws(CommandFailure) -> SchemeRegistration.Outcome {
    do throws(SchemeRegistration.Failure) {
      return try await change(
        SchemeRegistration(name, environment: ProcessInfo.processInfo.environment))
    } catch {
      switch error {
      case .noHome:
        throw CommandFailure(.configuration, .noHome, "HOME names no absolute path")
      case .programPath(let path):
        throw CommandFailure(
          .configuration, .notSupported,
          "the desktop cannot run a program with this path: \(path)",
          hint: "Install mero-consent where the path has letters, digits, “.”, “_” and “-” only.")
      case .file(let path, let cause):
        throw CommandFailure(.notWritten, .fileUnusable, "\(path) cannot be changed: \(cause)")
      }
    }
  }

  /// Where this program is; the desktop starts it without our PATH.
  private static func ownPath() -> String {
    (try? Files.linkTarget("/proc/self/exe")) ?? ""
  }
}
