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
    let reset = status.stateWasReset ? ", set up anew at the start" : ""
    let why = status.stateReason.map { ": \(escaped($0))" } ?? ""
    let waiting = unwritten(status).map { "; \($0)" } ?? ""
    var rows = [
      ("daemon", "mero-consentd \(escaped(status.version)), up \(TimeText.span(status.uptime))"),
      ("record", health + reset + why + waiting),
      ("callback", status.callbacks.isEmpty ? style.red("not listening") : list(status.callbacks)),
      ("sessions", sessions(status)),
      ("undecided", "\(status.undecidedRequests)"),
      ("waiting", "\(status.waits) calls, \(status.eventStreams) event streams"),
      ("nodes", "\(status.nodesReachable) reachable, \(status.nodesUnreachable) not"),
      ("releases", status.releases.isEmpty ? "none is trusted" : list(status.releases)),
    ]
    for attestation in status.attestations {
      let name = attestation.isMock ? "a mock quote" : escaped(attestation.image)
      let tcb = attestation.tcbStatus.map { ", \(escaped($0))" } ?? ""
      let advisories =
        attestation.advisoryIDs.isEmpty ? "" : ", " + list(attestation.advisoryIDs)
      let time = TimeText.moment(attestation.verifiedAt)
      let end = attestation.holdsUntil.map { ", holds until \(TimeText.moment($0))" } ?? ""
      rows.append(("attested", "\(name)\(tcb)\(advisories), verified \(time)\(end)"))
    }
    return rows.map { Layout.padded($0.0, to: 11) + $0.1 }
  }

  /// “2 verdicts wait to be written”; `nil` for none.
  static func unwritten(_ status: BrokerStatus) -> String? {
    switch status.unwrittenVerdicts {
    case ...0: nil
    case 1: "1 verdict waits to be written"
    case let count: "\(count) verdicts wait to be written"
    }
  }

  private static func sessions(_ status: BrokerStatus) -> String {
    let configured = status.configuredSessions
    return configured == 0
      ? "\(status.sessions)" : "\(status.sessions), \(configured) of the configuration"
  }

  private static func list(_ texts: [String]) -> String {
    texts.map(escaped).joined(separator: ", ")
  }
}

/// The same names as in `/v1/status`.
struct StatusDocument: Encodable {
  struct Counts: Encodable {
    let sessions: Int
    let configuredSessions: Int
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

    init(_ attestation: NodeAttestation) {
      image = attestation.image
      mock = attestation.isMock
      tcbStatus = attestation.tcbStatus
      advisories = attestation.advisoryIDs
      verifiedAt = RFC3339.text(attestation.verifiedAt)
      holdsUntil = attestation.holdsUntil.map(RFC3339.text)
    }
  }
  struct State: Encodable {
    let health: String
    let reason: String?
    let reset: Bool
    let unwritten: Int
  }

  let version: String
  let startedAt: String
  let uptime: Int64
  let callbacks: [String]
  let counts: Counts
  let nodes: Nodes
  let releases: [String]
  let attestations: [Attestation]
  let state: State

  init(_ status: BrokerStatus) {
    version = status.version
    startedAt = RFC3339.text(status.startedAt)
    uptime = status.uptime.components.seconds
    callbacks = status.callbacks
    counts = Counts(
      sessions: status.sessions, configuredSessions: status.configuredSessions,
      undecidedRequests: status.undecidedRequests, waits: status.waits,
      eventStreams: status.eventStreams)
    nodes = Nodes(reachable: status.nodesReachable, unreachable: status.nodesUnreachable)
    releases = status.releases
    attestations = status.attestations.map(Attestation.init)
    state = State(
      health: status.stateHealth, reason: status.stateReason, reset: status.stateWasReset,
      unwritten: status.unwrittenVerdicts)
  }
}
