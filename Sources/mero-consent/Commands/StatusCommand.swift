import ConsentClient
import MeroConsent

/// `mero-consent status`: how the daemon is.
enum StatusCommand {
  static let command = Command(
    path: ["status"], group: .care, summary: "tell how the daemon is",
    description: ["Nothing in it is secret: it may be shown when somebody asks for help."],
    options: [.socket], exitCodes: [.done, .usage, .unavailable],
    run: { (arguments, terminal) throws(CommandFailure) in
      let client = Daemon.client(arguments)
      let status = try await Daemon.call { () throws(BrokerError) in try await client.status() }
      try terminal.document(StatusDocument(status))
      try terminal.print(lines(status, terminal.style))
      return .done
    })

  static func lines(_ status: BrokerStatus, _ style: Style) -> [String] {
    let health: String =
      switch status.stateHealth {
      case "ok": style.green("ok")
      default: style.red(escaped(status.stateHealth))
      }
    var rows = [
      ("daemon", "mero-consentd \(escaped(status.version)), up \(TimeText.span(status.uptime))"),
      ("record", status.stateWasReset ? "\(health), set up anew at the start" : health),
      ("callback", status.callbacks.isEmpty ? style.red("not listening") : list(status.callbacks)),
      ("sessions", "\(status.sessions)"),
      ("undecided", "\(status.undecidedRequests)"),
      ("waiting", "\(status.waits) calls, \(status.eventStreams) event streams"),
      ("nodes", "\(status.nodesReachable) reachable, \(status.nodesUnreachable) not"),
    ]
    for attestation in status.attestations {
      let name = attestation.isMock ? "a mock quote" : escaped(attestation.image)
      let tcb = attestation.tcbStatus.map { ", \(escaped($0))" } ?? ""
      let advisories =
        attestation.advisoryIDs.isEmpty ? "" : ", " + list(attestation.advisoryIDs)
      let time = TimeText.moment(attestation.verifiedAt)
      rows.append(("attested", "\(name)\(tcb)\(advisories), verified \(time)"))
    }
    return rows.map { Layout.padded($0.0, to: 11) + $0.1 }
  }

  private static func list(_ texts: [String]) -> String {
    texts.map(escaped).joined(separator: ", ")
  }
}

/// The same names as in `/v1/status`.
struct StatusDocument: Encodable {
  struct Counts: Encodable {
    let sessions: Int
    let undecidedRequests: Int
    let waits: Int
    let eventStreams: Int
  }
  struct Nodes: Encodable {
    let reachable: Int
    let unreachable: Int
  }
  struct Attestation: Encodable {
    let image: String
    let mock: Bool
    let tcbStatus: String?
    let advisories: [String]
    let verifiedAt: String
    let holdsUntil: String?
  }
  struct State: Encodable {
    let health: String
    let reset: Bool
  }

  let version: String
  let startedAt: String
  let uptime: Int64
  let callbacks: [String]
  let counts: Counts
  let nodes: Nodes
  let attestations: [Attestation]
  let state: State

  init(_ status: BrokerStatus) {
    version = status.version
    startedAt = RFC3339.text(status.startedAt)
    uptime = status.uptime.components.seconds
    callbacks = status.callbacks
    counts = Counts(
      sessions: status.sessions, undecidedRequests: status.undecidedRequests, waits: status.waits,
      eventStreams: status.eventStreams)
    nodes = Nodes(reachable: status.nodesReachable, unreachable: status.nodesUnreachable)
    attestations = status.attestations.map {
      Attestation(
        image: $0.image, mock: $0.isMock, tcbStatus: $0.tcbStatus, advisories: $0.advisoryIDs,
        verifiedAt: RFC3339.text($0.verifiedAt), holdsUntil: $0.holdsUntil.map(RFC3339.text))
    }
    state = State(health: status.stateHealth, reset: status.stateWasReset)
  }
}
