import ConsentClient
import EventLoop
import MeroConsent

/// `mero-consent open`: opens a request's page in the browser.
enum OpenCommand {
  static let command = Command(
    path: ["open"], group: .requests, summary: "open a request's page in the browser",
    options: [.session, .socket], operands: [ChosenRequest.operand],
    exitCodes: [
      .done, .replaced, .expired, .cancelled, .usage, .badData, .unavailable, .notAllowed,
      .configuration,
    ],
    run: { (arguments, terminal) throws(CommandFailure) in
      let session = try Daemon.session(arguments)
      let id = try await ChosenRequest.id(arguments, in: session)
      let known = try await Daemon.call { () throws(BrokerError) in try await session.request(id) }
      let code = known.code.map { "The page has to show the code \(escaped($0))." }
      if let code { terminal.say(code) }
      let opened: BrokerRequest
      do throws(BrokerError) {
        opened = try await session.open(id)
      } catch {
        var failure = CommandFailure(error)
        // The daemon's words have the address already.
        if error.consentCode == .browserUnavailable, let url = known.url,
          !failure.message.contains(url)
        {
          failure.hint = "Open this address by hand: \(url)"
        }
        throw failure
      }
      try terminal.document(RequestDocument(opened))
      switch opened.opened {
      case .yes: try terminal.print("opened \(escaped(opened.url ?? id))")
      case .unknown: try terminal.print("handed to the browser: \(escaped(opened.url ?? id))")
      case .no, nil: try terminal.print("nothing to open: the request is \(opened.state.rawValue)")
      }
      return .done
    })
}
