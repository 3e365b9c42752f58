/// `mero-consent help [COMMAND]...`.
enum HelpCommand {
  static let command = Command(
    path: ["help"], group: .care, summary: "explain a command",
    operands: [
      .init(metavar: "COMMAND", help: "the command", isOptional: true, values: .command),
      .init(metavar: "SUBCOMMAND", help: "its second word", isOptional: true),
    ],
    run: { (arguments, terminal) throws(CommandFailure) in
      var path: [String] = []
      for index in arguments.rawOperands.indices {
        path.append(try arguments.requiredOperand(index))
      }
      if !path.isEmpty, case .nothing = CommandTable.find(path) {
        let near = Nearest.word(
          to: path.joined(separator: " "),
          of: CommandTable.all.map(\.name) + CommandTable.firstWords)
        throw .usage(
          "there is no command “\(path.joined(separator: " "))”",
          hint: near.map { "Did you mean “mero-consent help \($0)”?" })
      }
      try terminal.raw(HelpText.text(of: path, columns: terminal.columns, terminal.style))
      return .done
    })
}
