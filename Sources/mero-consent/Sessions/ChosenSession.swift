import ConsentClient

extension Daemon {
  /// The session that the command line names, or the default one.
  ///
  /// - Throws: `NO_SESSION`, `FILE_NOT_PRIVATE`, `FILE_UNUSABLE`.
  static func session(_ arguments: ParsedArguments) throws(CommandFailure) -> BrokerSession {
    let store = SessionStore()
    let given = arguments.value(.session)
    guard let name = given == nil ? try store.defaultName() : given else {
      let names = try store.entries().map(\.name)
      throw CommandFailure(
        .configuration, .noSession,
        names.isEmpty ? "there is no session yet" : "no session is the default",
        hint: names.isEmpty
          ? SessionStore.doubt
            ?? "Add one with “mero-consent session add”; “mero-consent help session add” tells how."
          : "Choose one with --session: \(names.joined(separator: ", ")).")
    }
    return client(arguments).session(key: try store.key(of: name))
  }
}
