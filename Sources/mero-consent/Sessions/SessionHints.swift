import ConsentClient

/// What to do about a session, with its name and the daemon's socket.
enum SessionHints {
  /// The command that gives the session new tokens.
  static func renewal(_ arguments: ParsedArguments) -> String {
    renewal(of: name(arguments), arguments)
  }

  static func renewal(of name: String?, _ arguments: ParsedArguments) -> String {
    arguments.again("session renew", words: [name ?? "NAME", "--token-file", "FILE"])
  }

  /// The session that the command is about, where that is known: the one that it names, else the
  /// default one.
  static func name(_ arguments: ParsedArguments) -> String? {
    let command = arguments.command
    if command.path.first == "session", command.operands.first?.metavar == "NAME" {
      return try? arguments.operand(0)
    }
    guard command.options.contains(.session) else { return nil }
    return arguments.value(.session) ?? (try? SessionStore().defaultName())
  }
}
