import EventLoop
import FoundationEssentials
import HTTP

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
  let state: State

  struct Counts: Encodable {
    let sessions: Int
    let undecidedRequests: Int
    let waits: Int
    let eventStreams: Int
  }

  /// Nodes of open sessions, by whether the last call was answered.
  struct Nodes: Encodable {
    let reachable: Int
    let unreachable: Int
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
      sessions: view.sessions, undecidedRequests: view.undecidedRequests, waits: view.waits,
      eventStreams: view.eventStreams)
    nodes = Nodes(reachable: view.nodesReachable, unreachable: view.nodesUnreachable)
    state = State(health: view.state.rawValue, reset: view.stateReset)
  }
}
