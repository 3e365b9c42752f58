package import EventLoop

/// Serves one handler over any number of connections, on the loop's thread.
@LoopActor package final class HTTPServer {
  /// What happens to a connection after an answer.
  package enum Persistence: Sendable {
    /// It waits for the next request (the local API, the development node).
    case keepAlive
    /// It is closed, gently (the callback): a browser must not keep the daemon from ending.
    case closesAfterEachAnswer
  }

  private let handler: any HTTPHandler
  private let limits: HTTPLimits
  private let persistence: Persistence

  package init(
    handler: any HTTPHandler, limits: HTTPLimits = .unixSocket,
    persistence: Persistence = .keepAlive
  ) {
    self.handler = handler
    self.limits = limits
    self.persistence = persistence
  }

  /// How many connections are open.
  package private(set) var connectionCount = 0

  /// Called whenever `connectionCount` has changed (the daemon's idle exit looks at it).
  package var onConnectionCountChange: (@LoopActor () -> Void)?

  /// Serves one connection until it ends. `listen(on:)` calls this for each; tests call it with
  /// a stream of their own.
  package func serve(_ stream: any ByteStream, _ info: HTTPConnectionInfo) async {
    stream.close()
  }

  /// Takes no new connection and no new request; running handlers and streams end, streams with
  /// their farewell. What has not ended after `time` is cut. Returns when all are closed.
  package func stop(within time: Duration) async {}
}
