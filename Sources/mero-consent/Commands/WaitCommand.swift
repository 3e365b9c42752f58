import ConsentClient
import EventLoop

/// `mero-consent wait`: takes up a request that was started before.
enum WaitCommand {
  static let command = Command(
    path: ["wait"], group: .requests, summary: "wait until a request is decided",
    description: [
      "It goes on over restarts of the daemon. Ctrl-C stops waiting; the request goes on."
    ],
    options: [ResultOptions.timeout] + ResultOptions.all + [.session, .socket],
    operands: [ChosenRequest.operand], exitCodes: ExitCode.decisions,
    run: { (arguments, terminal) throws(CommandFailure) in
      try ResultOptions.check(arguments)
      let session = try Daemon.session(arguments)
      let id = try await ChosenRequest.id(arguments, in: session)
      let known = try await Daemon.call { () throws(BrokerError) in try await session.request(id) }
      let wait = DecisionWait(
        session: session, terminal: terminal, arguments: arguments,
        timeout: try ResultOptions.timeout(arguments))
      return try ResultOptions.tell(try await wait.decision(of: known), arguments, on: terminal)
    })
}
