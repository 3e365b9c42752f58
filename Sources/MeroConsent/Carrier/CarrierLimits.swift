/// How long the parts of one transfer to a node may take, and how much is kept of it.
package struct CarrierLimits: Equatable, Sendable {
  /// Looking up the name, connecting and TLS, together.
  package var connect: Duration = .seconds(5)
  /// Without a byte in either direction: half of a call, but no less than 15 s. libcurl tells it
  /// up to 6 s later.
  package var silence: Duration {
    get { ownSilence ?? max(.seconds(15), call / 2) }
    set { ownSilence = newValue }
  }
  private var ownSilence: Duration?
  /// The whole transfer, waiting for a free connection included.
  package var call: Duration = .seconds(30)

  package init() {}

  /// What was sent and is not acknowledged by the peer's kernel: tells a connection that a
  /// change of network has cut from a node that takes its time.
  static let unacknowledged: Duration = .seconds(10)
  /// All header lines of one answer.
  static let headerBytes = 65_536
  /// What is kept of a body that nobody has asked for yet; then reading stops.
  static let unreadBytes = 65_536
  /// Transfers beyond it wait for their turn.
  static let connections = 32
  /// Connections that are kept for later transfers.
  static let keptConnections = 8
}
