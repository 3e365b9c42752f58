import Callback
package import EventLoop
import HTTP
import MeroConsent

/// The daemon put together: what is locked, opened, bound and served, in this order, and given
/// back in the other.
@LoopActor package final class Daemon {
  /// How long a stop waits for answers that are being given. The whole stop takes less than 2 s.
  static let stopLimit: Duration = .seconds(1)

  private let configuration: Configuration
  private let surroundings: Surroundings
  private let log: Log
  private let openPage: BrokerTools.PageOpener

  package private(set) var broker: Broker?
  private var held: Held?
  private var servers: [HTTPServer] = []
  private var signals: Signals?
  private var clockChange: ClockChange?
  private var note: CallbackNote?
  private var isStopping = false
  private var waiter: UnsafeContinuation<Void, Never>?

  /// What is ours for as long as the daemon runs.
  private struct Held: ~Copyable {
    let state: StateDirectory
    let socket: InstanceLock
  }

  /// Listeners that the service manager made; what is missing the daemon makes itself.
  package struct Adopted {
    package var api: Listener?
    package var callback: CallbackListeners?

    package init(api: Listener? = nil, callback: CallbackListeners? = nil) {
      self.api = api
      self.callback = callback
    }
  }

  package init(
    _ configuration: Configuration, _ surroundings: Surroundings, log: Log,
    openPage: @escaping BrokerTools.PageOpener
  ) {
    self.configuration = configuration
    self.surroundings = surroundings
    self.log = log
    self.openPage = openPage
  }

  // MARK: Starting

  /// Starts everything. Nothing of another daemon's is touched when it fails.
  package func start(adopting adopted: Adopted = Adopted()) async throws(StartFailure) {
    let paths = try DaemonPaths(configuration, surroundings)
    // Locked before anything is opened: of many that start at once, one goes on.
    let state = try StateDirectory(path: paths.state)
    try paths.makeDirectories(owner: surroundings.uid)
    held = Held(state: state, socket: try paths.socket.lock())
    // Bound before a node can learn of it, and for good.
    let callback: CallbackListeners
    if let ready = adopted.callback {
      callback = ready
    } else {
      callback = try bindCallback(LastPort(in: paths.state))
    }
    let broker = try await openBroker(paths)
    broker.callback = callback.address
    let api: Listener
    if let ready = adopted.api { api = ready } else { api = try paths.socket.listen() }
    self.broker = broker
    serve(broker, api: api, callback: callback)
    publish(callback.address, in: paths)
    watchTheWorld(broker)
    for warning in [paths.runtime?.warning, callback.warning].compactMap(\.self) {
      log.warning(warning)
    }
    log.info("ready: \(paths.socket.path), callback on port \(callback.port)")
  }

  private func bindCallback(_ last: LastPort) throws(StartFailure) -> CallbackListeners {
    let port = configuration.callbackPort
    let callback = try CallbackListeners.bind(port: port, last: last.read())
    if port == 0, callback.port != last.read() {
      do {
        try last.write(callback.port)
      } catch {
        log.warning("cannot keep the callback's port for the next start: \(error)")
      }
    }
    return callback
  }

  private func openBroker(_ paths: DaemonPaths) async throws(StartFailure) -> Broker {
    let opened = try LedgerFile(directory: paths.state).open()
    if let reset = opened.reset { log.error(reset) }
    for warning in opened.warnings { log.warning(warning) }
    var client = MeroClient.Options()
    client.connectLimit = configuration.connectTimeout
    client.callLimit = configuration.callTimeout
    let broker = Broker(
      ledger: opened.ledger,
      settings: BrokerSettings(
        version: ProductVersion.text, sessionTimeout: configuration.sessionTimeout,
        retention: configuration.retention, client: client),
      tools: BrokerTools(openPage: openPage), log: log, stateReset: opened.reset != nil)
    do {
      try await broker.restore()
    } catch {
      throw StartFailure(
        .stateUnavailable, "the record of requests in \(paths.state) cannot be read")
    }
    return broker
  }

  private func serve(_ broker: Broker, api: Listener, callback: CallbackListeners) {
    let local = HTTPServer(
      handler: LocalAPI(broker: broker, uid: surroundings.uid), limits: .unixSocket)
    let site = HTTPServer(
      handler: CallbackSite(judge: broker), limits: .callback,
      persistence: .closesAfterEachAnswer)
    for listener in callback.all { listen(site, on: listener) }
    listen(local, on: api)
    servers = [site, local]
  }

  private func listen(_ server: HTTPServer, on listener: Listener) {
    listener.onExhausted = { [log] error in log.warning("connections have to wait: \(error)") }
    server.listen(on: listener)
  }

  private func publish(_ address: CallbackAddress, in paths: DaemonPaths) {
    guard let directory = paths.runtime?.path else { return }
    let note = CallbackNote(in: directory, address)
    do {
      try note.write()
      self.note = note
    } catch {
      log.warning("cannot write \(note.path): \(error)")
    }
  }

  private func watchTheWorld(_ broker: Broker) {
    do {
      signals = try Signals([.terminate, .interrupt, .hangUp]) { [weak self] _ in
        self?.requestStop()
      }
      clockChange = try ClockChange { [weak broker] in broker?.clockWasSet() }
    } catch {
      log.warning("cannot watch signals and the clock: \(error)")
    }
  }

  // MARK: Ending

  /// Returns once a signal has asked for the end.
  package func waitForStop() async {
    guard !isStopping else { return }
    await withUnsafeContinuation { waiter = $0 }
  }

  package func requestStop() {
    guard !isStopping else { return }
    isStopping = true
    waiter?.resume()
    waiter = nil
  }

  /// Ends waits and streams with a word, finishes answers, wipes secrets, closes the record.
  package func stop() async {
    if let broker {
      log.info("stopping")
      broker.stop()
    }
    note?.remove()
    clockChange?.stop()
    let stops = servers.map { server in Task { await server.stop(within: Self.stopLimit) } }
    for stop in stops { await stop.value }
    servers = []
    await broker?.close()
    broker = nil
    // The locks go last.
    held = nil
    signals?.stop()
  }
}
