import Callback
package import EventLoop
import HTTP
import MeroConsent

/// The daemon put together: what is locked, opened, bound and served, in this order, and given
/// back in the other.
@LoopActor package final class Daemon {
  /// How long a stop waits for answers that are being given. The whole stop takes less than 2 s.
  static let stopLimit: Duration = .seconds(1)

  var configuration: Configuration
  let surroundings: Surroundings
  let log: Log
  private let openPage: BrokerTools.PageOpener

  /// How a node is spoken with; set before the start.
  package var makeClient = BrokerTools.client
  /// Asked to read the configuration again; without it, a hang-up ends the daemon.
  package var onHangUp: (@LoopActor () -> Void)?
  /// Told of each new line of `systemctl status`.
  package var onStatus: (@LoopActor (String) -> Void)?

  package private(set) var broker: Broker?
  private var held: Held?
  var servers: [HTTPServer] = []
  /// The one of `servers` that is the local API's.
  private weak var localServer: HTTPServer?
  private var signals: Signals?
  private var clockChange: ClockChange?
  private var note: CallbackNote?
  var idleExit: IdleExit?
  var statusLine: StatusLine?
  var socketWatch: SocketWatch?
  /// What a person should know, for the status.
  var faults: [String] = []
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
    /// Where tokens outlive a restart.
    package var secrets: SessionSecrets?

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
    let callback = try callbackListeners(adopted, paths)
    let broker = try await openBroker(paths, adopted.secrets)
    broker.callback = callback?.address
    let api: Listener
    if let ready = adopted.api { api = ready } else { api = try paths.socket.listen() }
    self.broker = broker
    serve(broker, api: api, callback: callback)
    if let callback { publish(callback.address, in: paths) }
    watchTheWorld(broker)
    tellDecisions(of: broker)
    watch(paths.socket.path, isOurs: adopted.api == nil)
    keepStatus(of: broker, port: callback?.port)
    // Only where everything that may wake it is there while it sleeps.
    if adopted.api != nil, adopted.callback != nil || callback == nil { sleepWhenIdle(broker) }
    for warning in [paths.runtime?.warning, callback?.warning].compactMap(\.self) {
      log.warning(warning)
    }
    let port = callback.map { "callback on port \($0.port)" } ?? "no callback"
    log.info("ready: \(paths.socket.path), \(port)", .event(.ready))
    do {
      try LedgerFile(directory: paths.state).resetIsTold()
    } catch {
      log.warning("cannot rename what was set aside in \(paths.state): \(error)")
    }
  }

  /// - Returns: `nil` for a woken daemon whose callback sockets could not be made: all else works
  ///   without them, and what a person has to do is said.
  private func callbackListeners(
    _ adopted: Adopted, _ paths: DaemonPaths
  ) throws(StartFailure) -> CallbackListeners? {
    if let ready = adopted.callback {
      if let missing = ready.missing { fault("systemd passed no socket for \(missing)") }
      return ready
    }
    do throws(StartFailure) {
      return try bindCallback(LastPort(in: paths.state))
    } catch {
      guard adopted.api != nil else { throw error }
      fault("there is no callback: \(error.sentence)")
      return nil
    }
  }

  func fault(_ text: String) {
    faults.append(text)
    log.warning(text, .event(.socketMissing))
  }

  /// The service manager keeps the tokens of fewer sessions than there are.
  func storeIsTooSmall(_ limit: Int) {
    let text =
      "FileDescriptorStoreMax=\(limit) keeps the tokens of as many sessions over a restart, and there "
      + "are more"
    guard !faults.contains(text) else { return }
    faults.append(text)
    statusLine?.change()
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

  private func openBroker(
    _ paths: DaemonPaths, _ secrets: SessionSecrets?
  ) async throws(StartFailure) -> Broker {
    let opened = try LedgerFile(directory: paths.state).open(
      orCopyIn: paths.waiting.map(LedgerCopy.init))
    if let reset = opened.reset { log.error(reset, .event(.recordReset)) }
    for warning in opened.warnings { log.warning(warning) }
    var tools = BrokerTools(openPage: openPage)
    tools.makeClient = makeClient
    tools.secrets = secrets
    tools.verdictNotes = paths.waiting.map(VerdictNotes.init(in:))
    let broker = Broker(
      ledger: opened.ledger, settings: brokerSettings, tools: tools, log: log,
      stateReset: opened.reset != nil)
    if let obstacle = opened.obstacle { broker.recordIsUnwritable(obstacle) }
    do {
      try await broker.restore()
    } catch {
      throw StartFailure(
        .stateUnavailable, "the record of requests in \(paths.state) cannot be read")
    }
    try await apply(configuration, to: broker, paths)
    return broker
  }

  var brokerSettings: BrokerSettings {
    var client = MeroClient.Options()
    client.connectLimit = configuration.connectTimeout
    client.callLimit = configuration.callTimeout
    return BrokerSettings(
      version: ProductVersion.text, sessionTimeout: configuration.sessionTimeout,
      retention: configuration.retention, client: client,
      waits: WaitLimits(connections: configuration.maximumConnections))
  }

  /// Trusted releases and the sessions of the configuration; again after each reading of it.
  func apply(
    _ configuration: Configuration, to broker: Broker, _ paths: DaemonPaths
  ) async throws(StartFailure) {
    let keys = paths.runtime.map { SessionKeyFiles(in: $0.path, uid: surroundings.uid) }
    let places = ConfiguredPlaces(tokens: TokenFiles(surroundings), keys: keys)
    do {
      try await broker.apply(configuration, places)
    } catch {
      throw StartFailure(
        .stateUnavailable, "the sessions of the configuration cannot be recorded in \(paths.state)")
    }
  }

  private func serve(_ broker: Broker, api: Listener, callback: CallbackListeners?) {
    let local = HTTPServer(
      handler: LocalAPI(broker: broker, uid: surroundings.uid), limits: .unixSocket)
    localServer = local
    limitConnections()
    let callbackSite = CallbackSite(judge: broker)
    if let listener = callback?.all.first, !callbackSite.canServe(on: listener) {
      log.warning(
        "the kernel does not tell whose a connection is (no tcp_diag): the callback serves nobody")
    }
    let site = HTTPServer(
      handler: callbackSite, limits: .callback, persistence: .closesAfterEachAnswer)
    for listener in callback?.all ?? [] { listen(site, on: listener) }
    listen(local, on: api)
    servers = [site, local]
  }

  /// As many as the configuration has, of which descriptors may be a stricter limit.
  func limitConnections() {
    let most = configuration.maximumConnections
    localServer?.limits.connections = most
    let files = OpenFilesLimit.current.soft
    guard files < UInt(most + Self.otherDescriptors) else { return }
    log.warning(
      "MaximumConnections=\(most) takes more open files than the limit of \(files): some will wait")
  }

  /// Room for all that is no connection of the local API: the callback's connections, nodes', the
  /// record and the loop's own.
  private static let otherDescriptors = 512

  private func listen(_ server: HTTPServer, on listener: Listener) {
    listener.onExhausted = { [log] error in log.warning("connections have to wait: \(error)") }
    server.listen(on: listener)
  }

  private func publish(_ address: CallbackAddress, in paths: DaemonPaths) {
    guard let directory = paths.runtime?.path else { return }
    do {
      note = try CallbackNote(in: directory, owner: surroundings.uid, address)
      if note == nil {
        log.info("\(directory)/callback is another daemon's, and says where that one listens")
      }
    } catch {
      log.warning("cannot write \(directory)/callback: \(error)")
    }
  }

  private func watchTheWorld(_ broker: Broker) {
    do {
      signals = try Signals([.terminate, .interrupt, .hangUp]) { [weak self] signal in
        guard let self else { return }
        if signal == .hangUp, let onHangUp { onHangUp() } else { requestStop() }
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
      log.info("stopping", .event(.stopping))
      broker.stop()
    }
    note?.remove()
    clockChange?.stop()
    // Before our own socket goes away.
    socketWatch?.stop()
    idleExit?.stop()
    statusLine?.stop()
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
