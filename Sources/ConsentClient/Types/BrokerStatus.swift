public import FoundationEssentials
public import MeroConsent

/// How the daemon is. Nothing in it is anybody's.
public struct BrokerStatus: Sendable, Hashable {
  public let version: String
  public let startedAt: Date
  public let uptime: Duration
  /// `http://127.0.0.1:<port>/return`, and the same on `[::1]`, as far as they are listening.
  public let callbacks: [String]
  public let sessions: Int
  /// Those of `sessions` that the daemon's configuration has.
  public let configuredSessions: Int
  public let undecidedRequests: Int
  public let waits: Int
  public let eventStreams: Int
  /// Nodes of open sessions that every session of theirs read last time, and those that one could
  /// not.
  public let nodesReachable: Int
  public let nodesUnreachable: Int
  /// The releases that the daemon's configuration trusts, by its names for them.
  public let releases: [String]
  /// What the nodes of open sessions proved last, the newest first. Nodes whose key is pinned
  /// prove nothing else.
  public let attestations: [NodeAttestation]
  /// `ok`, `read-only` (nothing new is recorded) or `unavailable`.
  public let stateHealth: String
  /// Why it is not `ok`, in a sentence for a person, where the daemon says so.
  public let stateReason: String?
  /// A damaged database was set aside at the daemon's start.
  public let stateWasReset: Bool
  /// Verdicts that could not be written down yet; the daemon keeps trying.
  public let unwrittenVerdicts: Int
}
