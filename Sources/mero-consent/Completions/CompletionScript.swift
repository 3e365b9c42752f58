/// What the three shells' scripts are made of.
enum CompletionScript {
  /// The hidden word of `completions` that lists the names of sessions.
  static let sessionWord = "sessions"
  static let sessionCommand = "mero-consent completions \(sessionWord) 2>/dev/null"

  static var commands: [Command] { CommandTable.all.filter { !$0.isHidden } }

  /// Options that may be typed, with those in place of a command.
  static func options(of command: Command) -> [Option] {
    command.allOptions.filter { $0.refusal == nil }
  }

  /// `-s` and `--session`.
  static func words(of option: Option) -> [String] {
    (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
  }

  /// `-s`, `--session`, and the spellings that help does not show.
  static func allWords(of option: Option) -> [String] {
    words(of: option) + option.aliases.map { "--\($0)" }
  }

  /// Every spelling of the options that take a value, wherever they do and nowhere do not: what a
  /// script steps over to find the command.
  static var valueWords: [String] {
    let all = CommandTable.global + commands.flatMap { Self.options(of: $0) }
    let flags = Set(all.filter { $0.metavar == nil }.flatMap { allWords(of: $0) })
    let values = Set(all.filter { $0.metavar != nil }.flatMap { allWords(of: $0) })
    return values.subtracting(flags).sorted()
  }

  /// The paths of a command in each of its spellings.
  static func paths(of command: Command) -> [String] {
    let beginning = command.path.dropLast()
    return ([command.path.last ?? ""] + command.aliases).map {
      (beginning + [$0]).joined(separator: " ")
    }
  }

  /// The words below a group's word, in the spelling of help.
  static func secondWords(of group: String) -> [(word: String, summary: String)] {
    CommandTable.members(of: group).map { ($0.path.last ?? "", $0.summary) }
  }

  static var groupWords: [String] {
    CommandTable.firstWords.filter { !CommandTable.members(of: $0).isEmpty }
  }

  /// The first words with what they do.
  static var firstWords: [(word: String, summary: String)] {
    CommandTable.firstWords.map { word in
      let summary =
        CommandTable.groups.first { $0.word == word }?.summary
        ?? commands.first { $0.path == [word] }?.summary
        ?? secondWords(of: word).map(\.word).joined(separator: ", ")
      return (word, summary)
    }
  }

  /// What `help` may be followed by.
  static var helpWords: [String] { CommandTable.firstWords }
}
