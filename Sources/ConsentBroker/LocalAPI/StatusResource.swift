import EventLoop
import FoundationEssentials
import HTTP
import MeroConsent

/// `/v1/status`: how the daemon is. Nothing in it is anybody's, so that no key is needed.
@LoopActor enum StatusResource {
  static func show(
    _ call: APICall, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    APIResponse.json(StatusJSON(broker.status()), status: 200)
  }
}

struct StatusJSON: Encodable {
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

  struct Counts: Encodable {
    let sessions: Int
    /// Those of `sessions` that are the configuration's.
    let configuredSessions: Int
    let undecidedRequests: Int
    let waits: Int
    let eventStreams: Int
  }

  /// Nodes of open sessions, by whether the last call was answered.
  struct Nodes: Encodable {
    let reachable: Int
    let unreachable: Int
  }

  /// What a node proved when it was attested last. Which node it was is its session's matter.
  struct Attestation: Encodable {
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
  }

  struct State: Encodable {
    let health: String
    let reset: Bool
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
    state = State(health: view.state.rawValue, reset: view.stateReset)
  }
}
