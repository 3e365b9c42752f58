import ConsentClient
import EventLoop
import MeroConsent

/// `mero-consent list`: the session's requests.
enum ListCommand {
  private static let states = [
    "starting", "started", "approved", "declined", "replaced", "expired", "cancelled", "failed",
  ]
  private static let state = Option(
    "state", "STATE", help: "only those in this state: \(states.joined(separator: ", "))",
    values: .words(states))
  private static let limit = Option("limit", "N", help: "at most N, the newest (default 50)")

  /// What the daemon answers at once.
  private static let pageSize = 200

  static let command = Command(
    path: ["list"], group: .requests, summary: "list the session's requests, newest first",
    options: [state, limit, .session, .socket],
    exitCodes: [.done, .usage, .unavailable, .notAllowed, .configuration],
    run: { (arguments, terminal) throws(CommandFailure) in
      let wanted = arguments.value(state)
      if let wanted, !states.contains(wanted) {
        let near = Nearest.word(to: wanted, of: states)
        throw .usage(
          "--state: there is no state “\(wanted)”", hint: near.map { "Did you mean \($0)?" })
      }
      let count = try number(arguments)
      let session = try Daemon.session(arguments)
      let requests = try await requests(in: session, wanted, count)
      try terminal.document(ListDocument(requests: requests.map { RequestDocument($0) }))
      if requests.isEmpty {
        terminal.say(
          wanted.map { "There are no requests in the state “\($0)”." }
            ?? "There are no requests yet; “mero-consent help request” tells how to start one.")
      } else {
        try terminal.print(
          Layout.table(["STARTED", "KIND", "STATE", "REQUEST"], requests.map { row($0, terminal) }))
      }
      return .done
    })

  private static func number(_ arguments: ParsedArguments) throws(CommandFailure) -> Int {
    guard let text = arguments.value(limit) else { return 50 }
    guard let number = Int(text), (1...100_000).contains(number) else {
      throw .usage("--limit: “\(text)” is not a number from 1 to 100000")
    }
    return number
  }

  private static func requests(
    in session: BrokerSession, _ state: String?, _ count: Int
  ) async throws(CommandFailure) -> [BrokerRequest] {
    var found: [BrokerRequest] = []
    var next: String?
    repeat {
      let (size, before) = (min(count - found.count, pageSize), next)
      let page = try await Daemon.call { () throws(BrokerError) in
        try await session.requests(
          in: state.map(BrokerRequest.State.init(rawValue:)), limit: size, before: before)
      }
      found += page.requests
      next = page.next
    } while next != nil && found.count < count
    return found
  }

  @LoopActor private static func row(_ request: BrokerRequest, _ terminal: Terminal) -> [String] {
    let state = Layout.padded(request.state.rawValue, to: "cancelled".count)
    return [
      TimeText.moment(request.createdAt), escaped(request.kindName),
      RequestLines.coloured(escaped(state), request, terminal.style), escaped(request.requestId),
    ]
  }

  private struct ListDocument: Encodable { let requests: [RequestDocument] }
}
