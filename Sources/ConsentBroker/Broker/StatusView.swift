package import FoundationEssentials
package import MeroConsent

/// `GET /v1/status`: nothing that is anybody's.
package struct StatusView: Sendable, Equatable {
  package var version: String
  package var startedAt: Date
  package var uptimeSeconds: Int
  /// `http://127.0.0.1:<port>/return`; `nil` where that family is not listening.
  package var callbackIPv4: String?
  package var callbackIPv6: String?
  package var sessions: Int
  package var undecidedRequests: Int
  package var waits: Int
  package var eventStreams: Int
  /// Those of `sessions` that the configuration has.
  package var configuredSessions: Int
  /// The names of the releases that the configuration trusts.
  package var releases: [String]
  /// Nodes of open sessions that every session of theirs read last time, and those that one could
  /// not.
  package var nodesReachable: Int
  package var nodesUnreachable: Int
  /// What the nodes of open sessions proved last, the newest first, each once.
  package var attestations: [NodeAttestation]
  package var state: StateHealth
  /// A damaged database was set aside at this start, and an empty one made.
  package var stateReset: Bool
  /// Why the ledger cannot be written, for a person; `nil` where it can.
  package var obstacle: String?
  /// Verdicts that the ledger could not take yet.
  package var unwritten: Int
}

/// How well the ledger can be written.
package enum StateHealth: String, Sendable {
  case ok
  /// A write failed (a full disk): nothing new is taken until one succeeds.
  case readOnly = "read-only"
  /// There is no ledger: see the problem that every call answers.
  case unavailable
}
