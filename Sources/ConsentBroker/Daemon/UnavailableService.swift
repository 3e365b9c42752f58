import Callback
import Desktop
import EventLoop
import HTTP
import MeroConsent

/// A daemon that was woken by a socket and cannot work: it answers what is wrong, as long as that
/// is so.
///
/// Ending instead would have the service manager start it again at once, again and again, until
/// it gives up and closes the sockets. So it asks before each connection whether the fault is
/// mended. If it is, it ends without accepting, and the connection that waits starts a daemon
/// that works.
@LoopActor final class UnavailableService {
  private let servers: [HTTPServer]
  private let isMended: @LoopActor () async -> Bool
  private let onMended: @LoopActor () -> Void
  private var listeners: [Listener] = []

  init(
    _ failure: StartFailure, settings: BrokerSettings, uid: UInt32, log: Log,
    api: Listener?, callbacks: [Listener],
    isMended: @escaping @LoopActor () async -> Bool, onMended: @escaping @LoopActor () -> Void
  ) {
    let error = ConsentError(
      failure.word == .configurationInvalid ? .configurationInvalid : .stateUnavailable,
      advice: "\(failure.sentence). Mend it and try again.")
    let tools = BrokerTools(openPage: { _, _ throws(PageUnavailable) in
      throw PageUnavailable(.failed)
    })
    let broker = Broker(unavailable: error, settings: settings, tools: tools, log: log)
    let local = HTTPServer(handler: LocalAPI(broker: broker, uid: uid), limits: .unixSocket)
    let site = HTTPServer(
      handler: CallbackSite(judge: broker), limits: .callback,
      persistence: .closesAfterEachAnswer)
    servers = [local, site]
    self.isMended = isMended
    self.onMended = onMended
    if let api { answer(api, local) }
    for listener in callbacks { answer(listener, site) }
  }

  private func answer(_ listener: Listener, _ server: HTTPServer) {
    listeners.append(listener)
    let port = listener.port
    Task {
      while (try? await listener.connectionWaits()) != nil {
        guard await !isMended() else { return onMended() }
        guard let stream = try? await listener.accept() else { return }
        server.begin(stream, HTTPConnectionInfo(stream, port: port))
      }
    }
  }

  /// Told whenever a connection came or went.
  func onConnectionCountChange(_ call: @escaping @LoopActor () -> Void) {
    for server in servers { server.onConnectionCountChange = call }
  }

  /// Whether nobody is served, and nobody waits to be.
  var isQuiet: Bool {
    servers.allSatisfy { $0.connectionCount == 0 }
      && !listeners.contains { $0.hasWaitingConnection }
  }

  func stopListening() {
    for listener in listeners { listener.close() }
    listeners = []
  }

  func stop(within time: Duration) async {
    stopListening()
    for server in servers { await server.stop(within: time) }
  }
}
