import ConsentClient
import EventLoop

/// `mero-consent session renew`: gives a session new tokens.
enum SessionRenewCommand {
  static let command = Command(
    path: ["session", "renew"], group: .sessions, summary: "give a session new tokens",
    description: [
      "Where the node does not renew them any more, or the daemon has lost them at a restart. "
        + "Requests that waited for them go on at once."
    ],
    options: [TokenOptions.access, TokenOptions.refresh, .socket],
    operands: [.init(metavar: "NAME", help: "the session", values: .session)],
    exitCodes: [.done, .usage, .badData, .unavailable, .notAllowed, .configuration],
    run: { (arguments, terminal) throws(CommandFailure) in
      let name = try arguments.requiredOperand(0)
      let session = Daemon.client(arguments).session(key: try SessionStore().key(of: name))
      let tokens = try TokenOptions.read(arguments, on: terminal)
      _ = try await Daemon.call { () throws(BrokerError) in try await session.replaceTokens(tokens)
      }
      try terminal.document(["renewed": name])
      try terminal.print("the session \(name) has new tokens")
      return .done
    })
}
