import ConsentClient
import EventLoop
import MeroConsent

/// `mero-consent watch`: the session's events as they happen.
enum WatchCommand {
  private static let after = Option(
    "after", "ID", help: "begin behind the event with this id (default: with what happens next)")

  static let command = Command(
    path: ["watch"], group: .requests, summary: "show what happens to the session's requests",
    description: [
      "A line for each change, until Ctrl-C: the event's id, the request, its state, and what the last "
        + "return met or why the node cannot be read. It goes on over restarts of the daemon."
    ],
    options: [after, .session, .socket],
    exitCodes: [.usage, .unavailable, .notWritten, .notAllowed, .configuration],
    jsonHelp: "print a JSON document a line, one for each change; all else goes to standard error",
    run: { (arguments, terminal) throws(CommandFailure) in
      let id = arguments.value(after)
      if let id, id.isEmpty || id.utf8.count > 18 || !id.allSatisfy({ ("0"..."9").contains($0) }) {
        throw .usage("--after: “\(id)” is no event's id: a number of at most 18 digits")
      }
      let events = try Daemon.session(arguments).events(after: id).makeAsyncIterator()
      return try await run(events, on: terminal)
    })

  @LoopActor private static func run(
    _ events: BrokerEvents.AsyncIterator, on terminal: Terminal
  ) async throws(CommandFailure) -> ExitCode {
    var events = events
    let reader = OutputReader()
    defer { reader.stop() }
    if terminal.surroundings.hasLiveLine { terminal.say("Watching; Ctrl-C ends it.") }
    while true {
      let event: BrokerEvent?
      do throws(BrokerError) { event = try await events.next() } catch {
        throw CommandFailure(error)
      }
      guard let event else { return .done }
      try terminal.document(EventDocument(event))
      try terminal.print(line(event))
    }
  }

  private static func line(_ event: BrokerEvent) -> String {
    let came = event.lastReturn.map { ", last return \(escaped($0.code))" } ?? ""
    let unread = event.readFailure.map { ", the node cannot be read: \(escaped($0.code.rawValue))" }
    return "\(escaped(event.id))  \(escaped(event.requestId))  \(escaped(event.state.rawValue))"
      + came + (unread ?? "")
  }
}

private struct EventDocument: Encodable {
  let id: String
  let requestId: String
  let state: String
  let lastReturn: RequestDocument.LastReturn?
  let readFailure: RequestDocument.ReadFailure?

  init(_ event: BrokerEvent) {
    id = event.id
    requestId = event.requestId
    state = event.state.rawValue
    lastReturn = event.lastReturn.map { .init(at: RFC3339.text($0.at), code: $0.code) }
    readFailure = event.readFailure.map(RequestDocument.ReadFailure.init)
  }
}
