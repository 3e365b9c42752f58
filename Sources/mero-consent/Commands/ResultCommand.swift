import ConsentClient
import EventLoop

/// `mero-consent result`: how a request stands now.
enum ResultCommand {
  static let command = Command(
    path: ["result"], group: .requests, summary: "tell how a request stands, without waiting",
    options: ResultOptions.all + [.session, .socket], operands: [ChosenRequest.operand],
    exitCodes: ExitCode.decisions,
    run: { (arguments, terminal) throws(CommandFailure) in
      try ResultOptions.check(arguments)
      let session = try Daemon.session(arguments)
      let id = try await ChosenRequest.id(arguments, in: session)
      let request = try await Daemon.call { () throws(BrokerError) in
        try await session.request(id)
      }
      return try ResultOptions.tell(request, arguments, on: terminal)
    })
}
