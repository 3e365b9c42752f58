import ConsentClient
import EventLoop

/// `mero-consent cancel`: stops the daemon from waiting for a request.
enum CancelCommand {
  static let command = Command(
    path: ["cancel"], group: .requests, summary: "stop waiting for a request",
    description: [
      "The daemon waits no longer, and neither does any program that waits for this request. One "
        + "that is decided stays as it is. The page at the node is not closed by it."
    ],
    options: [.session, .socket], operands: [ChosenRequest.operand],
    exitCodes: [.done, .usage, .badData, .unavailable, .notAllowed, .configuration],
    run: { (arguments, terminal) throws(CommandFailure) in
      let session = try Daemon.session(arguments)
      let id = try await ChosenRequest.id(arguments, in: session)
      let request = try await Daemon.call { () throws(BrokerError) in try await session.cancel(id) }
      try terminal.document(RequestDocument(request))
      try terminal.print(RequestLines.lines(request, showsSecret: false, terminal.style))
      return .done
    })
}
