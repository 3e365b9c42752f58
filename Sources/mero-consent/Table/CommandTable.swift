/// Every command, in the order in which help shows them.
enum CommandTable {
  static let all: [Command] =
    [
      SessionAddCommand.command,
      SessionListCommand.command,
      SessionRenewCommand.command,
      SessionRemoveCommand.command,
    ] + RequestCommand.commands + [
      WaitCommand.command,
      ResultCommand.command,
      OpenCommand.command,
      ListCommand.command,
      WatchCommand.command,
      CancelCommand.command,
      ReturnCommand.command,
      HandleCommand.command,
      SchemeCommands.register,
      SchemeCommands.unregister,
      NodeTrustCommand.command,
      NodeProbeCommand.command,
      QuoteVerifyCommand.command,
      StatusCommand.command,
      DoctorCommand.command,
      CompletionsCommand.command,
      ManualCommand.command,
      HelpCommand.command,
    ]

  /// What may stand in place of a command, to `--version` and `--help` besides.
  static let global = [
    Option.json, Option.help, Option("version", help: "print the version and exit"),
    // Of the commands that have them: help of each says whether it does.
    Option.socket.forSome, Option.session.forSome,
  ]

  /// Words that begin the paths of many commands, which help lists by themselves.
  struct Group: Sendable {
    let word: String
    let group: Command.Group
    /// What has to follow: `KIND`.
    let noun: String
    let summary: String

    var usage: String { "\(word) \(noun)" }
  }

  static let groups = [
    Group(
      word: "request", group: .requests, noun: "KIND",
      summary: "ask for consent, wait, and tell what was decided")
  ]

  /// What is known of words that may begin a command's path.
  enum Found {
    case command(Command)
    /// The first word of several commands.
    case group(String)
    case nothing
  }

  static func find(_ words: [String]) -> Found {
    if let command = all.first(where: { $0.matches(words) }) { return .command(command) }
    if words.count == 1, let word = words.first,
      all.contains(where: { $0.path.count > 1 && $0.path.first == word })
    {
      return .group(word)
    }
    return .nothing
  }

  /// The commands below a group's word.
  static func members(of group: String) -> [Command] {
    all.filter { $0.path.count > 1 && $0.path.first == group && !$0.isHidden }
  }

  /// The words that may come first, in order.
  static var firstWords: [String] {
    var words: [String] = []
    for command in all where !command.isHidden {
      if let word = command.path.first, !words.contains(word) { words.append(word) }
    }
    return words
  }
}
