import EventLoop
import HTTP

/// What a daemon keeps an eye on while it works.
extension Daemon {
  func watch(_ socket: String, isOurs: Bool) {
    do {
      socketWatch = try SocketWatch(socket) { [weak self] in
        guard let self else { return }
        guard isOurs else {
          fault(
            "\(socket) was removed; systemctl --user stop mero-consentd, then "
              + "systemctl --user restart mero-consentd.socket")
          statusLine?.change()
          return
        }
        log.error(
          "\(socket) was removed, so nobody finds this daemon; it ends", .event(.socketMissing))
        requestStop()
      }
    } catch {
      log.warning("cannot see whether \(socket) is removed: \(error)")
    }
  }

  func tellDecisions(of broker: Broker) {
    let notices = DecisionNotices(log: log)
    broker.onFinished = { [weak self] _, state, package in
      guard self?.configuration.notifications == true else { return }
      notices.tell(state, of: package)
    }
  }

  func keepStatus(of broker: Broker, port: UInt16?) {
    guard let onStatus else { return }
    let line = StatusLine(send: onStatus) { [weak self, weak broker] in
      guard let self, let broker else { return "" }
      return StatusLine.text(broker.status(), port: port, faults: faults)
    }
    statusLine = line
    line.change()
    broker.onCountsChanged = { [weak self] in
      self?.statusLine?.change()
      self?.idleExit?.look()
    }
  }

  func sleepWhenIdle(_ broker: Broker) {
    let idleExit = IdleExit(after: configuration.idleTimeout) { [weak self, weak broker] in
      guard let self, let broker else { return false }
      return broker.isIdle
        && servers.allSatisfy { $0.connectionCount == 0 && !$0.hasWaitingConnection }
    } leave: { [weak self] in
      guard let self else { return }
      for server in servers { server.stopListening() }
      log.info("nothing is open: sleeping until somebody comes", .event(.sleeping))
      requestStop()
    }
    self.idleExit = idleExit
    for server in servers {
      server.onConnectionCountChange = { [weak idleExit] in idleExit?.look() }
    }
    idleExit.look()
  }

  /// Takes over what can change in a running daemon. No connection, session or request notices.
  ///
  /// - Returns: the keys that have changed and need a restart.
  package func reload(_ new: Configuration) async -> [String] {
    var new = new
    let fixed = new.keysThatNeedARestart(comparedTo: configuration)
    (new.socket, new.stateDirectory) = (configuration.socket, configuration.stateDirectory)
    new.callbackPort = configuration.callbackPort
    configuration = new
    log.level = new.logLevel
    broker?.apply(brokerSettings)
    limitConnections()
    idleExit?.time = new.idleTimeout
    do throws(StartFailure) {
      if let broker { try await apply(new, to: broker, DaemonPaths(new, surroundings)) }
    } catch {
      log.error(error.description)
    }
    return fixed
  }
}
