import MeroConsent

/// `mero-consent.1`, made from the command table.
enum ManualPage {
  static var text: String {
    (head + commands + rest).map { $0 + "\n" }.joined()
  }

  private static var head: [String] {
    [
      ".\\\" Made from the command table: “make manual”.",
      ".TH MERO\\-CONSENT 1 2026-11-30 \"mero\\-consent \(ProductVersion.text)\" \"User Commands\"",
      Roff.section("NAME"),
      "mero\\-consent \\- " + Roff.text("ask people for consent on their node's own page"),
      Roff.section("SYNOPSIS"),
      "\(Roff.bold("mero-consent")) [\(Roff.italic("OPTION"))]... \(Roff.italic("COMMAND")) "
        + "[\(Roff.italic("ARGUMENT"))]...",
      Roff.section("DESCRIPTION"),
      Roff.text(HelpText.purpose),
      Roff.text(
        "It works through mero-consentd, which keeps the sessions that apps lend to it, receives "
          + "the browser's return, and reads each decision from the node."),
      ".PP",
      Roff.text(
        "What a command found out goes to standard output, everything else to standard error. On "
          + "a terminal a line shows what is being waited for; elsewhere there are plain lines, no "
          + "colour and no question. An invite's token is never printed unless it is asked for."),
      Roff.section("OPTIONS"),
    ] + CommandTable.global.flatMap(option)
  }

  // MARK: Commands

  private static var commands: [String] {
    Command.Group.allCases.flatMap { group -> [String] in
      let commands = CommandTable.all.filter { $0.group == group && !$0.isHidden }
      guard !commands.isEmpty else { return [] }
      return [Roff.section(group.rawValue.uppercased())] + commands.flatMap(lines)
    }
  }

  private static func lines(of command: Command) -> [String] {
    let sentence = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
    let other =
      command.aliases.isEmpty ? "" : " Also spelt \(command.aliases.joined(separator: ", "))."
    var lines = [Roff.subsection(command.usage), Roff.text(sentence + other)]
    // Those of a group say the same; it is said once, where the group begins.
    if !command.isListedByGroup || isFirst(command) {
      for paragraph in command.description { lines += [".PP", Roff.text(paragraph)] }
    }
    for operand in command.operands {
      lines += Roff.term(Roff.italic(operand.metavar), sentenceOf(operand.help))
    }
    let shared = isFirst(command) || !command.isListedByGroup ? [] : sharedOptions(of: command)
    let options = command.options.filter { $0.refusal == nil && !shared.contains($0.name) }
    lines += (options + [command.ownJSON].compactMap(\.self)).flatMap(option)
    if !shared.isEmpty, let first = firstMember(of: command) {
      lines += [".PP", Roff.text("Further options as of “\(first.name)”.")]
    }
    for example in command.examples {
      lines += [".PP", Roff.text(example.text) + ":", ".PP", ".nf", ".RS", Roff.text(example.line)]
      lines += [".RE", ".fi"]
    }
    return lines
  }

  private static func firstMember(of command: Command) -> Command? {
    CommandTable.members(of: command.path.first ?? "").first
  }

  private static func isFirst(_ command: Command) -> Bool {
    command.isListedByGroup && firstMember(of: command)?.path == command.path
  }

  /// The options that every command of the group has.
  private static func sharedOptions(of command: Command) -> Set<String> {
    let members = CommandTable.members(of: command.path.first ?? "")
    return members.map { Set($0.options.map(\.name)) }.reduce(Set(command.options.map(\.name))) {
      $0.intersection($1)
    }
  }

  private static func option(_ option: Option) -> [String] {
    let letter = option.letter.map { Roff.bold("-\($0)") + ", " } ?? ""
    let value = option.metavar.map { " " + Roff.italic($0) } ?? ""
    let end = option.isRepeatable ? "; may be given several times" : ""
    return Roff.term(letter + Roff.bold("--\(option.name)") + value, sentenceOf(option.help + end))
  }

  private static func sentenceOf(_ help: String) -> String {
    help.prefix(1).uppercased() + help.dropFirst() + "."
  }

  // MARK: The rest

  private static var rest: [String] {
    var lines = [Roff.section("EXIT STATUS")]
    for code in ExitCode.allCases {
      let meaning =
        code == .done
        ? "approved; of a command that tells no decision, done" : code.meaning(isDecision: true)
      lines += Roff.term(Roff.bold("\(code.rawValue)"), sentenceOf(meaning))
    }
    lines += [
      ".PP",
      Roff.text(
        "Ctrl-C ends it by SIGINT, and a reader that leaves by SIGPIPE, as a shell expects."),
      Roff.section("ENVIRONMENT"),
    ]
    lines += Roff.term(
      Roff.bold("XDG_RUNTIME_DIR"), "Where the daemon's socket and the sessions' keys are.")
    lines += Roff.term(Roff.bold("NO_COLOR"), "Not empty: no colours.")
    lines += Roff.term(Roff.bold("TERM"), "“dumb” or empty: neither colours nor a live line.")
    lines += [Roff.section("FILES")]
    lines += Roff.term(
      Roff.italic("$XDG_RUNTIME_DIR/mero-consent/api.sock"), "The daemon's socket.")
    lines += Roff.term(
      Roff.italic("$XDG_RUNTIME_DIR/mero-consent/cli/"),
      "The keys of the sessions that were added here. Whoever reads one reads that session's "
        + "results.")
    lines += Roff.term(
      Roff.italic("$XDG_RUNTIME_DIR/mero-consent/sessions/"),
      "The keys of the sessions of the daemon's configuration.")
    return lines + [
      Roff.section("SEE ALSO"),
      "\(Roff.bold("mero-consentd"))(8), \(Roff.bold("mero-consentd.conf"))(5)",
    ]
  }
}
