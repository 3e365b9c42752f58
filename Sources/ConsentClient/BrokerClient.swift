import EventLoop
import Glibc
import HTTP

/// The consent daemon on this machine, over its Unix socket.
///
/// Calls may be made from anywhere and at the same time; they need no main thread and no run
/// loop. A cancelled task throws `CALL_CANCELLED` at once; what it had asked for goes on in the
/// daemon.
public final class BrokerClient: Sendable {
  /// What a client keeps to.
  public struct Options: Sendable {
    /// How long a connection to the socket may take. 5 s.
    public var connectTime: Duration = .seconds(5)
    /// How long a call may take that asks the node. 60 s: the daemon gives the node 30.
    public var nodeTime: Duration = .seconds(60)
    /// How long any other call may take. 10 s.
    public var callTime: Duration = .seconds(10)
    /// How long a wait, once begun, goes on without a daemon that answers. 30 s.
    public var patience: Duration = .seconds(30)

    public init() {}
  }

  /// The path of the daemon's socket.
  public let socket: String
  public let options: Options
  let connector: DaemonConnector

  /// Nothing is connected before the first call.
  ///
  /// - Parameters:
  ///   - socket: `nil` for `$XDG_RUNTIME_DIR/mero-consent/api.sock`.
  ///   - options: the limits that the client keeps to.
  public convenience init(socket: String? = nil, options: Options = Options()) {
    self.init(
      socket: socket ?? SocketLocation.standard(), options: options, expecting: geteuid())
  }

  /// - Parameter uid: the user whose daemon it has to be; another one in tests.
  package init(socket: String, options: Options = Options(), expecting uid: UInt32) {
    self.socket = socket
    self.options = options
    connector = DaemonConnector(path: socket, uid: uid, connectTime: options.connectTime)
  }

  /// How the daemon is.
  public func status() async throws(BrokerError) -> BrokerStatus {
    let call = DaemonCall(.get, "/v1/status", canRepeat: true, time: options.callTime)
    return try await connector.call(call, key: nil).decode(StatusAnswer.self).status
  }

  /// Lends a node session to the daemon. Its key is shown here and never again: keep
  /// `BrokerSession.key` where other programs cannot read it, to take the session up again after
  /// a restart of the app.
  ///
  /// - Throws: `FIELD_INVALID`, `CONSENT_REQUEST_INVALID`, `CONSENT_RETURN_TO_NOT_ALLOWED`,
  ///   `NODE_UNTRUSTED`, `TOO_MANY`.
  public func openSession(_ session: NodeSession) async throws(BrokerError) -> BrokerSession {
    let call = DaemonCall(.post, "/v1/sessions", canRepeat: false, time: options.callTime)
    let answer = try await connector.call(call.with(OpenBody(session: session)), key: nil)
    let opened = try answer.decode(SessionOpenedAnswer.self, for: 201)
    guard let key = SessionKey(opened.key) else { throw .answerInvalid("the key is none") }
    return BrokerSession(key: key, of: self)
  }

  /// Takes up a session that was opened before. The daemon is not asked.
  public func session(key: SessionKey) -> BrokerSession { BrokerSession(key: key, of: self) }

  /// Hands over a return URL that this program received as the desktop's URL handler. The daemon
  /// judges it in the background.
  ///
  /// - Parameters:
  ///   - url: as the program was given it.
  ///   - activationToken: what the desktop gave this program in `XDG_ACTIVATION_TOKEN`: the app that
  ///     hears of the return may come to the front with it.
  /// - Throws: `RETURN_URL_MALFORMED`, `TOO_MANY`.
  public func accept(
    returned url: String, activationToken: String? = nil
  ) async throws(BrokerError) {
    let call = DaemonCall(.post, "/v1/returns", canRepeat: true, time: options.callTime)
    let answer = try await connector.call(
      call.with(ReturnBody(url: url, activationToken: activationToken)), key: nil)
    guard answer.status == 202 else { throw answer.problem }
  }
}
