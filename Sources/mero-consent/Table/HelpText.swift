/// What the program says about itself, made from the table.
enum HelpText {
  static let purpose =
    "Asks people for consent on their node's own page, and tells what they decided."

  /// Lines are no longer than that, however wide the terminal is.
  private static let widest = 100

  /// - Parameter path: of a command or a group's word; empty for the program.
  static func text(of path: [String], columns: Int, _ style: Style) -> String {
    let columns = min(columns, widest)
    let lines =
      switch CommandTable.find(path) {
      case .command(let command): self.lines(of: command, columns: columns, style)
      case .group(let word): self.lines(ofGroup: word, columns: columns, style)
      case .nothing: overview(columns: columns, style)
      }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func overview(columns: Int, _ style: Style) -> [String] {
    var lines = Layout.wrapped(
      "mero-consent [OPTION]... COMMAND [ARGUMENT]...", columns: columns, first: "Usage: ",
      indent: "         ")
    lines += Layout.wrapped(purpose, columns: columns)
    for group in Command.Group.allCases {
      let rows = rows(of: group)
      guard !rows.isEmpty else { continue }
      lines += ["", style.bold("\(group.rawValue):")] + Layout.terms(rows, columns: columns)
    }
    lines += ["", style.bold("Options:")]
    lines += Layout.terms(CommandTable.global.map(row), columns: columns)
    lines +=
      [""] + Layout.wrapped("See “mero-consent help COMMAND” for one command.", columns: columns)
    return lines
  }

  /// A group of many commands with one beginning is one line.
  private static func rows(of group: Command.Group) -> [(term: String, text: String)] {
    CommandTable.groups.filter { $0.group == group }.map { ($0.usage, $0.summary) }
      + CommandTable.all.filter { $0.group == group && !$0.isHidden && !$0.isListedByGroup }
      .map { ($0.name, $0.summary) }
  }

  private static func lines(ofGroup word: String, columns: Int, _ style: Style) -> [String] {
    let members = CommandTable.members(of: word)
    let noun = CommandTable.groups.first { $0.word == word }?.noun ?? "COMMAND"
    let usage = "mero-consent \(word) \(noun) [ARGUMENT]..."
    return Layout.wrapped(usage, columns: columns, first: "Usage: ", indent: "         ") + [""]
      + Layout.terms(members.map { ($0.path.last ?? "", $0.summary) }, columns: columns)
      + [""]
      + Layout.wrapped("See “mero-consent help \(word) \(noun)” for one of them.", columns: columns)
  }

  private static func lines(of command: Command, columns: Int, _ style: Style) -> [String] {
    var lines = Layout.wrapped(
      "mero-consent \(command.usage)", columns: columns, first: "Usage: ", indent: "         ")
    lines += Layout.wrapped(sentence(command.summary), columns: columns)
    for paragraph in command.description {
      lines += [""] + Layout.wrapped(paragraph, columns: columns)
    }
    if !command.operands.isEmpty {
      lines += ["", style.bold("Arguments:")]
      lines += Layout.terms(command.operands.map { ($0.metavar, $0.help) }, columns: columns)
    }
    let options = command.allOptions.filter { $0.refusal == nil }
    lines += ["", style.bold("Options:")] + Layout.terms(options.map(row), columns: columns)
    lines += ["", style.bold("Exit status:")]
    lines += Layout.terms(
      command.exitCodes.map { ("\($0.rawValue)", command.meaning(of: $0)) }, columns: columns)
    if !command.examples.isEmpty {
      lines += ["", style.bold("Examples:")]
      for example in command.examples { lines += ["  # \(example.text)", "  \(example.line)"] }
    }
    return lines
  }

  private static func row(_ option: Option) -> (term: String, text: String) {
    let letter = option.letter.map { "-\($0), " } ?? ""
    let end = option.isRepeatable ? "; may be given several times" : ""
    return (letter + option.usage, option.help + end)
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}
