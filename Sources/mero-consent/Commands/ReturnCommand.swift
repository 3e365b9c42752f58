import ConsentClient
import EventLoop
import MeroConsent

/// `mero-consent return URL`: confirms a return that somebody received by another way.
enum ReturnCommand {
  private static let request = Option(
    "request", "ID", help: "the request that it should belong to (default: the one that it names)")

  static let command = Command(
    path: ["return"], group: .returns, summary: "confirm a return URL and tell the decision",
    description: [
      "The URL is a hint: the decision is read from the node. Programs that are the desktop's "
        + "handler of a scheme use “handle”, which does not wait."
    ],
    options: [request] + ResultOptions.all + [.session, .socket],
    operands: [.init(metavar: "URL", help: "the URL that the page sent the person back to")],
    exitCodes: ExitCode.decisions,
    examples: [
      .init(
        text: "A return that was copied from the browser",
        line: "mero-consent return 'mero-consent://return?request_id=rq_1&result=approved'")
    ],
    run: { (arguments, terminal) throws(CommandFailure) in
      try ResultOptions.check(arguments)
      let url = try url(arguments)
      let session = try Daemon.session(arguments)
      let id: String
      if let given = arguments.value(request) {
        id = given
      } else {
        id = try await named(by: url, in: session)
      }
      let request = try await Daemon.call { () throws(BrokerError) in
        try await session.confirm(id, returned: url)
      }
      return try ResultOptions.tell(request, arguments, on: terminal)
    })

  private static func url(_ arguments: ParsedArguments) throws(CommandFailure) -> String {
    guard let text = String(validating: arguments.rawOperands[0], as: UTF8.self) else {
      throw CommandFailure(ConsentError(.returnURLMalformed))
    }
    return text
  }

  /// The request that the URL names, where it is one of the session's; else the session's
  /// undecided one, of which the daemon will say that the return is another's.
  private static func named(
    by text: String, in session: BrokerSession
  ) async throws(CommandFailure) -> String {
    let url: ReturnURL
    do { url = try ReturnURL(text) } catch { throw CommandFailure(error) }
    if let id = url.requestId {
      do throws(BrokerError) {
        return try await session.request(id).requestId
      } catch {
        guard error.code == .notFound else { throw CommandFailure(error) }
      }
    }
    let page = try await Daemon.call { () throws(BrokerError) in
      try await session.requests(in: .started, limit: 1)
    }
    guard let undecided = page.requests.first else {
      throw CommandFailure(ConsentError(.requestMismatch))
    }
    return undecided.requestId
  }
}
