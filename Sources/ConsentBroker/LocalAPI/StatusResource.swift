import EventLoop
import FoundationEssentials
import HTTP
import MeroConsent

/// `/v1/status`: how the daemon is. Nothing in it is anybody's, so that no key is needed.
@LoopActor enum StatusResource {
  static func show(
    _ call: APICall, in broker: Broker
  ) throws(APIProblem) -> HTTPReply {
    broker.lookForRoom()
    let view = broker.status()
    if let shown = broker.shownStatus, shown.view == view { return shown.reply }
    let reply = HTTPReply.kept(APIResponse.json(StatusJSON(view), status: 200))
    broker.shownStatus = (view, reply)
    return reply
  }
}

struct StatusJSON: JSONObject {
  let version: String
  let startedAt: Date
  /// Seconds.
  let uptime: Int
  /// `http://127.0.0.1:<port>/return`, and the same on `[::1]`, as far as they are listening.
  let callbacks: [String]
  let counts: Counts
  let nodes: Nodes
  /// The releases that are trusted, by the names that the configuration gives them.
  let releases: [String]
  let attestations: [Attestation]
  let state: State

  struct Counts: JSONObject {
    let sessions: Int
    /// Those of `sessions` that are the configuration's.
    let configuredSessions: Int
    let undecidedRequests: Int
    let waits: Int
    let eventStreams: Int

    func write(to json: inout JSONText) {
      json.member("configuredSessions", configuredSessions)
      json.member("eventStreams", eventStreams)
      json.member("sessions", sessions)
      json.member("undecidedRequests", undecidedRequests)
      json.member("waits", waits)
    }
  }

  /// Nodes of open sessions by their addresses: those that every session of theirs read last time,
  /// and those that one could not.
  struct Nodes: JSONObject {
    let reachable: Int
    let unreachable: Int

    func write(to json: inout JSONText) {
      json.member("reachable", reachable)
      json.member("unreachable", unreachable)
    }
  }

  /// What a node proved when it was attested last. Which node it was is its session's matter.
  struct Attestation: JSONObject {
    let image: String
    /// A development node's word, which proves nothing.
    let mock: Bool
    let tcbStatus: String?
    let advisories: [String]
    let verifiedAt: Date
    let holdsUntil: Date?

    init(_ attestation: NodeAttestation) {
      image = attestation.image
      mock = attestation.isMock
      tcbStatus = attestation.tcbStatus
      advisories = attestation.advisoryIDs
      verifiedAt = attestation.verifiedAt
      holdsUntil = attestation.holdsUntil
    }

    func write(to json: inout JSONText) {
      json.member("advisories", advisories)
      json.member("holdsUntil", holdsUntil)
      json.member("image", image)
      json.member("mock", mock)
      json.member("tcbStatus", tcbStatus)
      json.member("verifiedAt", verifiedAt)
    }
  }

  struct State: JSONObject {
    let health: String
    /// Why it is not `ok`, where that is known.
    let reason: String?
    let reset: Bool
    /// Verdicts that could not be written yet.
    let unwritten: Int

    func write(to json: inout JSONText) {
      json.member("health", health)
      json.member("reason", reason)
      json.member("reset", reset)
      json.member("unwritten", unwritten)
    }
  }

  init(_ view: StatusView) {
    version = view.version
    startedAt = view.startedAt
    uptime = view.uptimeSeconds
    callbacks = [view.callbackIPv4, view.callbackIPv6].compactMap(\.self)
    counts = Counts(
      sessions: view.sessions, configuredSessions: view.configuredSessions,
      undecidedRequests: view.undecidedRequests, waits: view.waits,
      eventStreams: view.eventStreams)
    nodes = Nodes(reachable: view.nodesReachable, unreachable: view.nodesUnreachable)
    releases = view.releases
    attestations = view.attestations.map(Attestation.init)
    state = State(
      health: view.state.rawValue, reason: view.obstacle, reset: view.stateReset,
      unwritten: view.unwritten)
  }

  func write(to json: inout JSONText) {
    json.member("attestations", attestations)
    json.member("callbacks", callbacks)
    json.member("counts", counts)
    json.member("nodes", nodes)
    json.member("releases", releases)
    json.member("startedAt", startedAt)
    json.member("state", state)
    json.member("uptime", uptime)
    json.member("version", version)
  }
}
