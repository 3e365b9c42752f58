import ConsentClient
import EventLoop
import MeroConsent

/// `mero-consent session list`.
enum SessionListCommand {
  static let command = Command(
    path: ["session", "list"], group: .sessions, summary: "list the sessions",
    description: [
      "Those that were added here, and those of the daemon's configuration. A star marks the "
        + "default."
    ],
    options: [.socket], exitCodes: [.done, .usage, .unavailable, .notAllowed],
    run: { (arguments, terminal) throws(CommandFailure) in
      let client = Daemon.client(arguments)
      let store = SessionStore()
      let usual = try store.defaultName()
      var rows: [SessionRow] = []
      for entry in try store.entries() {
        let session = client.session(key: try store.key(of: entry.name))
        rows.append(try await row(entry, session, isDefault: entry.name == usual))
      }
      try terminal.document(SessionListDocument(sessions: rows))
      if rows.isEmpty {
        terminal.say(
          SessionStore.doubt ?? "There is no session yet; see “mero-consent help session add”.")
      } else {
        try terminal.print(
          Layout.table(["", "NAME", "STATE", "PACKAGE", "NODE"], rows.map(\.cells)))
        if rows.contains(where: { $0.state == .ended }) {
          terminal.say(
            "What is not known to the daemon at \(escaped(client.socket)) has ended there, or was "
              + "added to another daemon.")
        }
      }
      return .done
    })

  private static func row(
    _ entry: SessionStore.Entry, _ session: BrokerSession, isDefault: Bool
  ) async throws(CommandFailure) -> SessionRow {
    do throws(BrokerError) {
      return SessionRow(entry, try await session.info(), isDefault: isDefault)
    } catch {
      guard error.code == .keyRequired else { throw CommandFailure(error) }
      return SessionRow(entry, nil, isDefault: isDefault)
    }
  }
}

private struct SessionListDocument: Encodable { let sessions: [SessionRow] }

struct SessionRow: Encodable, Sendable {
  /// Stable: scripts compare them.
  enum State: String, Encodable {
    case open
    case needsTokens = "needs-tokens"
    case ended
  }

  let name: String
  let isDefault: Bool
  let source: String
  let state: State
  let package: String?
  let account: String?
  let node: String?
  let origins: [String]?
  let returnTo: String?
  let createdAt: String?

  /// - Parameter info: `nil` where the daemon does not know the session any more.
  init(_ entry: SessionStore.Entry, _ info: SessionInfo?, isDefault: Bool) {
    name = entry.name
    self.isDefault = isDefault
    source = entry.source.rawValue
    state = info.map { $0.needsSession ? .needsTokens : .open } ?? .ended
    package = info?.package
    account = info?.account
    node = info?.nodeURL
    origins = info?.origins
    returnTo = info?.returnTo
    createdAt = info.map { RFC3339.text($0.createdAt) }
  }

  private enum CodingKeys: String, CodingKey {
    case name, source, state, package, account, node, origins, returnTo, createdAt
    case isDefault = "default"
  }

  var cells: [String] {
    let state =
      switch state {
      case .open: "open"
      case .needsTokens: "needs tokens"
      case .ended: "not known to this daemon"
      }
    return [isDefault ? "*" : " ", name, state, escaped(package ?? "-"), escaped(node ?? "-")]
  }
}
