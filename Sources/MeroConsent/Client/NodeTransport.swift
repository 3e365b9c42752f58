package import Crypto
import EventLoop
package import FoundationEssentials

/// Carries one call to the node and back, sealed. The client does not know how.
package protocol NodeTransport: Sendable {
  /// Every status is a reply. A call that came to none throws `NODE_UNREACHABLE`,
  /// `NODE_UNTRUSTED`, `NODE_ERROR`, `CONSENT_CANCELLED`.
  func send(_ call: NodeCall) async throws(ConsentError) -> NodeReply

  /// From now on the node is trusted by this; `nil` for by nothing any more. New calls have it
  /// prove itself anew.
  ///
  /// Calls under way go on where what the node proved to them is enough for `trust` too. The others
  /// go on until `endDistrusted()`, so that new tokens that are on their way are not lost. By a trust
  /// that cannot be, nothing is trusted.
  func change(to trust: NodeTrust?) async -> TrustChange

  /// Ends the calls to a node that is trusted no more. Those that only read, or were not sent, are
  /// made again under the trust of now; the others throw `NODE_UNTRUSTED`.
  func endDistrusted() async

  /// What the node proved last; `nil` where it proved nothing.
  @LoopActor var lastAttestation: NodeAttestation? { get }

  /// Ends every call, wipes keys.
  func close() async
}

extension NodeTransport {
  @LoopActor package var lastAttestation: NodeAttestation? { nil }
}

/// What a change of a node's trust is to the calls that are under way.
package enum TrustChange: Sendable {
  /// It is the same trust.
  case none
  /// They go on.
  case keepsCalls
  /// Some are to end: the node did not prove to them what it has to now.
  case endsCalls
}

/// One request to the node, as it stands inside the envelope.
package struct NodeCall: Sendable {
  /// Bytes of the longest body of a reply.
  package static let longestReply = 1024 * 1024

  package var method: String
  /// Below the node's base URL, percent-encoded.
  package var path: String
  /// Sent as JSON; empty for a call without a body.
  package var body: [UInt8]
  package var bearer: Redacted<String>?

  /// Whether it may be made again, whatever came of it.
  var changesNothing: Bool { method == "GET" }

  static let refreshPath = "/auth/refresh"
  var isRefresh: Bool { path == Self.refreshPath }

  package init(
    method: String, path: String, body: [UInt8] = [], bearer: Redacted<String>? = nil
  ) {
    self.method = method
    self.path = path
    self.body = body
    self.bearer = bearer
  }
}

/// The node's own answer, out of the envelope.
package struct NodeReply: Sendable {
  package var status: Int
  /// What `x-auth-error` says, where the node says so.
  package var authError: String?
  package var body: [UInt8]
  /// The node's clock: its `Date`, where it sent one that can be read.
  package var date: Date?
  /// Seconds that the node asks to wait.
  package var retryAfter: Int?

  package init(
    status: Int, authError: String? = nil, body: [UInt8] = [], date: Date? = nil,
    retryAfter: Int? = nil
  ) {
    self.status = status
    self.authError = authError
    self.body = body
    self.date = date
    self.retryAfter = retryAfter
  }
}

/// The times that a client goes by. Tests bring their own.
package struct ClientClock: Sendable {
  /// Wall-clock time.
  package var now: @Sendable () -> Date
  /// Time that neither stops in suspend nor is set: what waits are measured with.
  package var uptime: @Sendable () -> Duration
  package var sleep: @Sendable (Duration) async throws(CancellationError) -> Void
  /// From 0 to 1.
  package var chance: @Sendable () -> Double

  package init(
    now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws(CancellationError) -> Void,
    chance: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.uptime = uptime
    self.sleep = sleep
    self.chance = chance
  }
}
