import ConsentClient
import EventLoop

/// `mero-consent session remove`: ends a session, and forgets its key.
enum SessionRemoveCommand {
  static let command = Command(
    path: ["session", "remove"], group: .sessions, summary: "end a session",
    description: ["Its undecided requests are cancelled."],
    options: [.socket],
    operands: [.init(metavar: "NAME", help: "the session", values: .session)],
    exitCodes: [.done, .usage, .unavailable, .notWritten, .notAllowed, .configuration],
    run: { (arguments, terminal) throws(CommandFailure) in
      let name = try arguments.requiredOperand(0)
      let store = SessionStore()
      let key = try store.key(of: name)
      if try store.entries().contains(.init(name: name, source: .configured)) {
        throw CommandFailure(
          .notAllowed, .notSupported, "“\(name)” is a session of the daemon's configuration",
          hint: "Take it out of mero-consentd.conf and reload the daemon.")
      }
      do throws(BrokerError) {
        try await Daemon.client(arguments).session(key: key).close()
      } catch {
        // One that has ended is only forgotten.
        guard error.code == .keyRequired else { throw CommandFailure(error) }
      }
      let next = try store.forget(name)
      try terminal.document(["removed": name])
      try terminal.print("removed the session \(name)")
      if let next { terminal.say("The default is \(next) now.") }
      return .done
    })
}
