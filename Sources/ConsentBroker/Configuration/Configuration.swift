import HTTP

/// What a person may set: by option, else in the file, else the value here.
package struct Configuration: Sendable, Equatable {
  /// Absolute; `nil` for `$XDG_RUNTIME_DIR/mero-consent/api.sock`.
  package var socket: String?
  /// Absolute; `nil` for `$XDG_STATE_HOME/mero-consent`.
  package var stateDirectory: String?
  /// 0 takes a free one.
  package var callbackPort: UInt16 = 17463
  package var logLevel = LogLevel.info
  /// How long nothing has to be open before a daemon that its sockets can wake ends; `nil` for
  /// never.
  package var idleTimeout: Duration? = .seconds(60)
  /// How many connections the local API has at the same time.
  package var maximumConnections = HTTPLimits.unixSocket.connections
  /// How long finished requests are kept.
  package var retention: Duration = .days(30)
  /// How long an unused session stays open.
  package var sessionTimeout: Duration = .hours(8)
  /// For the connection to a node.
  package var connectTimeout: Duration = .seconds(5)
  /// For one whole call to a node.
  package var callTimeout: Duration = .seconds(30)
  /// Whether a decided request is told to the person by a desktop notification.
  package var notifications = true
  /// The images that a node may run, by their sections' names; sorted by them.
  package var releases: [TrustedRelease] = []
  /// The sessions that are open without an app; sorted by their names.
  package var sessions: [ConfiguredSession] = []

  package init() {}

  /// Every file that a session's tokens are read from.
  var tokenFiles: [String] {
    sessions.flatMap { [$0.token, $0.refreshToken] }.compactMap { source in
      guard case .file(let path) = source?.origin else { return nil }
      return path
    }
  }

  /// The keys that differ and that a running daemon cannot take over: its sockets and its record
  /// stay where they are.
  func keysThatNeedARestart(comparedTo running: Configuration) -> [String] {
    var keys: [ConfigurationKey] = []
    if socket != running.socket { keys.append(.socket) }
    if stateDirectory != running.stateDirectory { keys.append(.stateDirectory) }
    if callbackPort != running.callbackPort { keys.append(.callbackPort) }
    return keys.map(\.rawValue)
  }

  /// Files that the daemon reads besides those of its own directories, at its start and whenever
  /// it reads its configuration again.
  package var filesOutside: [String] { sessions.flatMap(\.files) }
}

extension Duration {
  static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
  static func hours(_ count: Int) -> Duration { .seconds(count * 3600) }
  static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
