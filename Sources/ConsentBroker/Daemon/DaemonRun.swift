import Desktop
import EventLoop
import MeroConsent

/// One life of the daemon's process on the loop, from the first listener to its exit code.
@LoopActor final class DaemonRun {
  private let options: DaemonOptions
  private let surroundings: Surroundings
  private let log: Log
  private let makeClient: BrokerTools.ClientMaker
  private let confinement: Confinement?
  private let notifier = ServiceNotifier()
  private var lastReload: Task<Void, Never>?

  init(
    _ options: DaemonOptions, _ surroundings: Surroundings, log: Log, confinement: Confinement?,
    _ makeClient: @escaping BrokerTools.ClientMaker
  ) {
    self.makeClient = makeClient
    self.options = options
    self.surroundings = surroundings
    self.log = log
    self.confinement = confinement
  }

  /// - Returns: the exit code.
  func run(
    _ configuration: Result<Configuration, StartFailure>, _ handedOver: HandedOver
  ) async -> Int32 {
    notifier.startWatchdog()
    if notifier.watchdogIsUnreadable {
      log.warning("WATCHDOG_USEC or WATCHDOG_PID is no number: the watchdog is not fed")
    }
    let failure: StartFailure
    do throws(StartFailure) {
      return try await work(configuration.get(), handedOver)
    } catch {
      failure = error
    }
    log.error(failure.description, .event(.startFailed))
    // The other daemon does the work; answering in its place would be worse than not answering.
    guard handedOver.isWoken, failure.word != .alreadyRunning else { return failure.word.exitCode }
    let idleTimeout = (try? configuration.get())?.idleTimeout ?? Configuration().idleTimeout
    return await explain(failure, handedOver, sleepingAfter: idleTimeout)
  }

  private func work(
    _ configuration: Configuration, _ handedOver: HandedOver
  ) async throws(StartFailure) -> Int32 {
    let daemon = Daemon(configuration, surroundings, log: log) {
      url, token throws(PageUnavailable) in
      try await PageOpener().open(url, activationToken: token)
    }
    daemon.makeClient = makeClient
    var adopted: Daemon.Adopted
    do throws(SystemError) {
      adopted = try handedOver.listeners()
    } catch {
      throw StartFailure(
        .socketUnavailable, "the service manager's sockets cannot be used: \(error)")
    }
    if notifier.hasManager {
      let secrets = SessionSecrets(handedOver.stored, store: notifier, log: log)
      secrets.onOverflow = { [weak daemon] limit in daemon?.storeIsTooSmall(limit) }
      adopted.secrets = secrets
    }
    daemon.onStatus = { [notifier] text in notifier.status(text) }
    // A terminal that closes ends what was started on it.
    if !StandardError.isTerminal {
      daemon.onHangUp = { [weak self, weak daemon] in
        guard let self, let daemon else { return }
        // One after the other: each waits for the record of sessions.
        lastReload = Task { [lastReload] in
          await lastReload?.value
          await self.reload(daemon)
        }
      }
    }
    do throws(StartFailure) {
      try await daemon.start(adopting: adopted)
    } catch {
      await daemon.stop()
      throw error
    }
    notifier.ready()
    await daemon.waitForStop()
    notifier.stopping()
    await daemon.stop()
    return 0
  }

  /// Reads the configuration again. With a fault in it, the former one stays.
  private func reload(_ daemon: Daemon) async {
    notifier.reloading()
    // Whatever comes of it, the daemon works on.
    defer { notifier.ready() }
    do throws(StartFailure) {
      let (configuration, faults) = try options.configuration(surroundings)
      guard faults.isEmpty else {
        for fault in faults { log.error(fault) }
        log.error(
          "the configuration has faults: the former one stays in force",
          .event(.configurationRefused))
        return
      }
      let fixed = await daemon.reload(configuration)
      for key in fixed { log.warning("a change of \(key) takes a restart") }
      log.info("the configuration was read again", .event(.configurationRead))
    } catch {
      log.error(
        "\(error.description): the former configuration stays in force",
        .event(.configurationRefused))
    }
  }

  /// Answers what is wrong until it is mended, nobody asks, or a signal ends us.
  private func explain(
    _ failure: StartFailure, _ handedOver: HandedOver, sleepingAfter idleTimeout: Duration?
  ) async -> Int32 {
    guard let adopted = try? handedOver.listeners() else { return failure.word.exitCode }
    let end = OneTime()
    let signals = try? Signals([.terminate, .interrupt, .hangUp]) { _ in end.come() }
    let service = UnavailableService(
      failure, settings: BrokerSettings(version: ProductVersion.text), uid: surroundings.uid,
      log: log, api: adopted.api, callbacks: adopted.callback?.all ?? [],
      isMended: { [self] in await isMended(handedOver) }, onMended: { end.come() })
    let idleExit = IdleExit(after: idleTimeout) {
      service.isQuiet
    } leave: {
      service.stopListening()
      end.come()
    }
    service.onConnectionCountChange { idleExit.look() }
    idleExit.look()
    notifier.ready()
    notifier.status(failure.description)
    await end.wait()
    idleExit.stop()
    notifier.stopping()
    await service.stop(within: Daemon.stopLimit)
    signals?.stop()
    return 0
  }

  /// Whether a start would succeed now. What is opened for that is given back.
  private func isMended(_ handedOver: HandedOver) async -> Bool {
    // This process cannot look any more.
    if let confinement, confinement.isOutdated { return true }
    do throws(StartFailure) {
      let (configuration, faults) = try options.configuration(surroundings)
      guard faults.isEmpty else { return false }
      let paths = try DaemonPaths(configuration, surroundings)
      let state = try StateDirectory(path: paths.state)
      let ledger = try LedgerFile(directory: paths.state).open().ledger
      await ledger.close()
      _ = consume state
      return true
    } catch {
      return false
    }
  }
}

/// Something that comes once and is waited for by one.
@LoopActor private final class OneTime {
  private var hasCome = false
  private var waiter: UnsafeContinuation<Void, Never>?

  func come() {
    guard !hasCome else { return }
    hasCome = true
    waiter?.resume()
    waiter = nil
  }

  func wait() async {
    guard !hasCome else { return }
    await withUnsafeContinuation { waiter = $0 }
  }
}
