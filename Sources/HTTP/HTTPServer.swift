package import EventLoop
import Glibc

/// Serves one handler over any number of listeners and connections, on the loop's thread.
@LoopActor package final class HTTPServer {
  /// What happens to a connection after an answer.
  package enum Persistence: Sendable {
    /// It waits for the next request (the local API, the development node).
    case keepAlive
    /// It is closed, gently (the callback): a browser must not keep the daemon from ending.
    case closesAfterEachAnswer
  }

  let handler: any HTTPHandler
  /// Connections that are open stay so when there may be fewer.
  package var limits: HTTPLimits
  /// One parser and one buffer serve all connections that have nothing half done.
  var parser: HTTPRequestParser
  var output: [UInt8] = []
  let persistence: Persistence
  let memory: ServerMemory
  /// No new request is taken any more.
  private(set) var isStopping = false

  private var listeners: [Listener] = []
  private var places = ConnectionPlaces()
  private var stopWaiters: [UnsafeContinuation<Void, Never>] = []
  private let stopTimer = LoopTimer()
  private let burstEnd = BurstEnd()
  private var clock = DateField()

  package init(
    handler: any HTTPHandler, limits: HTTPLimits = .unixSocket,
    persistence: Persistence = .keepAlive
  ) {
    self.handler = handler
    self.limits = limits
    parser = HTTPRequestParser(limits: limits)
    self.persistence = persistence
    memory = ServerMemory(limits)
  }

  /// How many connections are being served.
  package var connectionCount: Int { places.all.count }

  /// Where `Date` comes from, in seconds since 1970. Only a node for tests has a clock of its own.
  package var secondsSince1970: @LoopActor () -> Int = { time(nil) }

  /// Called whenever `connectionCount` has changed (the daemon's idle exit looks at it).
  package var onConnectionCountChange: (@LoopActor () -> Void)?

  /// Accepts connections until `stop(within:)`. Several listeners share the limits of one server.
  package func listen(on listener: Listener) {
    listeners.append(listener)
    Task { await acceptAll(from: listener) }
  }

  private static let acceptedPerTurn = 64

  private func acceptAll(from listener: Listener) async {
    let port = listener.port
    var accepted = 0
    // It ends when the listener is closed; a lack of descriptors is waited out by the listener.
    while let stream = try? await listener.accept() {
      start(stream, HTTPConnectionInfo(stream, port: port))
      accepted += 1
      // While others connect as fast as they are accepted, nothing here would wait.
      if accepted.isMultiple(of: Self.acceptedPerTurn) { await Task.yield() }
    }
  }

  /// Serves one connection until it ends. Tests call it with a stream of their own.
  package func serve(_ stream: any ByteStream, _ info: HTTPConnectionInfo) async {
    await withUnsafeContinuation { start(stream, info, whenOver: $0) }
  }

  /// Serves one connection; it counts as soon as this returns.
  package func begin(_ stream: any ByteStream, _ info: HTTPConnectionInfo) { start(stream, info) }

  private func start(
    _ stream: any ByteStream, _ info: HTTPConnectionInfo,
    whenOver: UnsafeContinuation<Void, Never>? = nil
  ) {
    let admission = isStopping ? nil : handler.admit(info)
    guard let admission, let place = place(for: admission) else {
      stream.close()
      whenOver?.resume()
      return
    }
    var info = info
    if case .served = admission { info.isAdmitted = true }
    let connection = HTTPServerConnection(stream, info, server: self, place: place)
    connection.whenOver = whenOver
    places.add(connection)
    connectionCountChanged()
    switch (admission, place) {
    case (.refused(let response), _): connection.end(with: response)
    case (_, .excess): connection.end(refusing: Self.full)
    default: connection.begin()
    }
  }

  // MARK: Places

  /// - Returns: `nil` where there is none.
  private func place(for admission: HTTPAdmission) -> Place? {
    guard case .served = admission else {
      return hasRoom(.stranger, of: limits.strangers, grace: .zero) ? .stranger : nil
    }
    if hasRoom(.served, of: limits.connections, grace: limits.placeGrace) { return .served }
    return places.taken(.excess) < limits.refusals ? .excess : nil
  }

  /// Where all places are taken, who has waited the longest for its client gives way: a client
  /// that says nothing, or nothing whole, keeps nobody out.
  private func hasRoom(_ place: Place, of limit: Int, grace: Duration) -> Bool {
    if places.taken(place) < limit { return true }
    // There may be fewer than there were: one for one would not do then.
    guard places.taken(place) == limit,
      let longest = places.longestWaiting(in: place, for: grace)
    else { return false }
    places.vacate(longest)
    longest.giveWay()
    return true
  }

  static let full = HTTPRefusal(
    429, "Too many connections are open.", headers: [.retryAfter: "1"])

  func ended(_ connection: HTTPServerConnection) {
    places.remove(connection)
    connectionCountChanged()
    if places.all.isEmpty { finishStop() }
  }

  /// The parser that connections without a task share, for one that goes on with a task.
  func takeParser() -> HTTPRequestParser {
    defer { parser = HTTPRequestParser(limits: limits) }
    return parser
  }

  func clearParser() {
    if !parser.isIdle { parser = HTTPRequestParser(limits: limits) }
  }

  private func connectionCountChanged() {
    burstEnd.countChanged(to: connectionCount)
    onConnectionCountChange?()
  }

  /// The `Date` field of now.
  func dateField() -> DateField {
    clock.set(to: secondsSince1970())
    return clock
  }

  // MARK: Stopping

  /// Whether a client waits to be accepted at this moment.
  package var hasWaitingConnection: Bool { listeners.contains { $0.hasWaitingConnection } }

  /// Accepts nobody from now on; who was accepted is served. Who comes later waits for the next
  /// process that accepts on the same sockets.
  package func stopListening() {
    for listener in listeners { listener.close() }
    listeners = []
  }

  /// Takes no new connection and no new request; running handlers and streams end, streams with
  /// their farewell. What has not ended after `time` is cut: its task is cancelled and its
  /// connection closed. Returns when all are closed.
  package func stop(within time: Duration) async {
    isStopping = true
    stopListening()
    burstEnd.stop()
    for connection in places.all.values { connection.stop() }
    guard !places.all.isEmpty else { return }
    stopTimer.arm(after: time) { self.cutAll() }
    await withUnsafeContinuation { stopWaiters.append($0) }
  }

  private func cutAll() {
    for connection in places.all.values { connection.cut() }
    // A handler that does not heed its cancellation is not waited for.
    finishStop()
  }

  private func finishStop() {
    stopTimer.disarm()
    let waiters = stopWaiters
    stopWaiters = []
    for waiter in waiters { waiter.resume() }
  }
}
