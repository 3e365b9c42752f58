import EventLoop

/// From the words of a command line to a command with its arguments.
enum ArgumentParser {
  enum Outcome {
    case run(ParsedArguments)
    /// Of a command, of a group's word, or of the program.
    case help([String])
    case version
  }

  /// - Parameter words: without the program's name.
  static func parse(_ words: [[UInt8]]) throws(CommandFailure) -> Outcome {
    var before: [(name: String, value: String?)] = []
    var path: [String] = []
    var rest = words
    while true {
      let arguments = try read(
        rest, CommandTable.global, of: nil, after: path, stopsAtOperand: true)
      before += arguments.options
      if before.contains(where: { $0.name == "version" }) { return .version }
      let asksForHelp = before.contains { $0.name == Option.help.name }
      guard let word = arguments.operands.first else {
        if asksForHelp || path.isEmpty && words.isEmpty { return .help(path) }
        throw missingCommand(after: path)
      }
      path.append(String(decoding: word, as: UTF8.self))
      rest = Array(arguments.operands.dropFirst())
      switch CommandTable.find(path) {
      case .command(let command):
        return try parse(rest, of: command, before: before)
      case .group: continue
      case .nothing: throw unknownCommand(path)
      }
    }
  }

  private static func parse(
    _ words: [[UInt8]], of command: Command, before: [(name: String, value: String?)]
  ) throws(CommandFailure) -> Outcome {
    for (name, _) in before where !command.allOptions.contains(where: { $0.name == name }) {
      throw .usage("--\(name) is no option of \(command.name)", hint: seeHelp(of: command.path))
    }
    let arguments = try read(words, command.allOptions, of: command, stopsAtOperand: false)
    let given = before + arguments.options
    if given.contains(where: { $0.name == Option.help.name }) { return .help(command.path) }
    try check(given, arguments.operands, of: command)
    return .run(ParsedArguments(command, given, arguments.operands))
  }

  private static func check(
    _ given: [(name: String, value: String?)], _ operands: [[UInt8]], of command: Command
  ) throws(CommandFailure) {
    let hint = seeHelp(of: command.path)
    for option in command.allOptions where given.contains(where: { $0.name == option.name }) {
      if let refusal = option.refusal { throw .usage(refusal, hint: hint) }
    }
    for option in command.allOptions where [.file, .directory].contains(option.values) {
      if given.contains(where: { $0.name == option.name && $0.value == "" }) {
        throw .usage("--\(option.name) is empty: it needs a path", hint: hint)
      }
    }
    for option in command.allOptions {
      let count = given.count(where: { $0.name == option.name })
      if count == 0, option.isRequired { throw .usage("\(option.usage) is missing", hint: hint) }
      if count > 1, option.metavar != nil, !option.isRepeatable {
        throw .usage("--\(option.name) is given \(count) times", hint: hint)
      }
    }
    if operands.count < command.operands.count {
      let missing = command.operands[operands.count]
      if !missing.isOptional { throw .usage("\(missing.metavar) is missing", hint: hint) }
    }
    if operands.count > command.operands.count {
      let extra = String(decoding: operands[command.operands.count], as: UTF8.self)
      throw .usage("“\(extra)” is one argument too many", hint: hint)
    }
  }

  // MARK: getopt_long

  private static func read(
    _ words: [[UInt8]], _ options: [Option], of command: Command?, after path: [String] = [],
    stopsAtOperand: Bool
  ) throws(CommandFailure) -> (options: [(name: String, value: String?)], operands: [[UInt8]]) {
    let known = options.map {
      ProgramArguments.Known(
        $0.name, letter: $0.letter, takesValue: $0.metavar != nil, aliases: $0.aliases)
    }
    do {
      let arguments = try ProgramArguments(words, known, stopsAtOperand: stopsAtOperand)
      return (arguments.options, arguments.operands)
    } catch {
      throw failure(error, options, of: command, after: path)
    }
  }

  private static func failure(
    _ error: ProgramArguments.Refused, _ options: [Option], of command: Command?,
    after path: [String]
  ) -> CommandFailure {
    let hint = seeHelp(of: command?.path ?? [])
    switch error {
    case .valueMissing(let name): return .usage("--\(name) needs a value", hint: hint)
    case .valueUnwanted(let name): return .usage("--\(name) takes no value", hint: hint)
    case .noText(let name): return .usage("the value of --\(name) is not UTF-8", hint: hint)
    case .told: return .usage("the options cannot be read", hint: hint)
    case .unknown(let word):
      let of = command.map { " of \($0.name)" } ?? ""
      let name = String(word.drop { $0 == "-" })
      let beginnings = options.filter { !name.isEmpty && $0.name.starts(with: name) }
      if beginnings.count > 1 {
        let all = beginnings.map { "--\($0.name)" }.joined(separator: ", ")
        return .usage("\(word) is the beginning of several options\(of): \(all)", hint: hint)
      }
      if command == nil, isOfCommand(word, after: path) {
        return tooEarly(word, after: path)
      }
      let shown = options.filter { $0.refusal == nil }.map(\.name)
      // Before the command's word its own options are not known yet.
      let near = Nearest.word(to: name, of: shown) ?? (command == nil ? later(name) : nil)
      return .usage(
        "there is no option \(word)\(of)",
        hint: near.map { "Did you mean --\($0)?" } ?? hint)
    }
  }

  private static func later(_ name: String) -> String? {
    Nearest.word(to: name, of: CommandTable.all.flatMap { $0.options.map(\.name) })
  }

  // MARK: Commands

  private static func missingCommand(after path: [String]) -> CommandFailure {
    guard let group = path.first else {
      return .usage("a command is missing", hint: seeHelp(of: []))
    }
    return .usage(
      "after “\(group)” one of these has to come: \(next(after: group))", hint: seeHelp(of: path))
  }

  private static func next(after group: String) -> String {
    CommandTable.members(of: group).compactMap(\.path.last).joined(separator: ", ")
  }

  /// Whether `word` is an option of a command that may come next, as `getopt_long` takes it.
  private static func isOfCommand(_ word: String, after path: [String]) -> Bool {
    let name = word.drop { $0 == "-" }
    guard !name.isEmpty else { return false }
    let commands = path.first.map(CommandTable.members) ?? CommandTable.all
    return commands.flatMap(\.options).contains { option in
      guard word.hasPrefix("--") else { return option.letter.map(String.init) == String(name) }
      return ([option.name] + option.aliases).contains { $0.hasPrefix(name) }
    }
  }

  /// The option is right, and the word that it belongs to is missing before it.
  private static func tooEarly(_ word: String, after path: [String]) -> CommandFailure {
    guard let group = path.first else {
      return .usage("COMMAND is missing before \(word)", hint: seeHelp(of: []))
    }
    let noun = CommandTable.groups.first { $0.word == group }?.noun ?? "COMMAND"
    return .usage(
      "\(noun) is missing between “\(group)” and \(word): one of \(next(after: group))",
      hint: seeHelp(of: path))
  }

  private static func unknownCommand(_ path: [String]) -> CommandFailure {
    guard path.count > 1, let group = path.first, let word = path.last else {
      let word = path.first ?? ""
      let near = Nearest.word(to: word, of: CommandTable.firstWords)
      return .usage(
        "there is no command “\(word)”",
        hint: near.map { "Did you mean “mero-consent \($0)”?" } ?? seeHelp(of: []))
    }
    let known = CommandTable.members(of: group).flatMap { [$0.path.last ?? ""] + $0.aliases }
    let near = Nearest.word(to: word, of: known)
    return .usage(
      "“\(group)” has no “\(word)”",
      hint: near.map { "Did you mean “mero-consent \(group) \($0)”?" } ?? seeHelp(of: [group]))
  }

  private static func seeHelp(of path: [String]) -> String {
    "See “\((["mero-consent", "help"] + path).joined(separator: " "))”."
  }
}
