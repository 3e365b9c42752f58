import Crypto
package import EventLoop
package import HTTP

// What this node does not model, so that nobody takes it for a real one:
// - no trusted hardware: its quotes are mocks, and its collateral is empty (a test may bring a
//   machine and a root of its own, which nobody else trusts);
// - no passkeys and no log-in: whoever has a page's address decides, and tokens are given out by
//   /dev/tokens; their signatures are random bytes;
// - no rights: any account may ask for anything, and organizations, members, instances and
//   releases that a request names need not exist. Roles, teams and capabilities are not kept;
// - one package, whose served page is a redirect and not an app;
// - only the calls of the consent guide: no /jsonrpc, no /admin-api but attestation;
// - nothing is stored: a restart of the process is a new node;
// - no TLS, and no address but loopback.
// What it can be told to do wrong is listed in Misbehaviour/MisbehaviourTable.swift, what tests and
// app developers may do to it while it runs in Controls/ControlTable.swift; `--help` prints both.

/// A node for development and tests that speaks the real protocol.
@LoopActor package final class DevelopmentNode {
  /// Connections at once; beyond it they are closed without a word.
  package static let connectionLimit = 256

  package internal(set) var state: NodeState
  /// The account that the node starts with, and its first tokens.
  package let account: String
  package let tokens: Accounts.Tokens
  package let port: UInt16

  /// Where its quotes come from.
  package var attestation = Attestation.mock
  var sealing = NodeSealing()
  private let listener: Listener
  private var servers: [ObjectIdentifier: HTTPServer] = [:]

  /// Binds the port; `start()` serves it.
  package init(_ options: NodeOptions = NodeOptions()) throws(SystemError) {
    listener = try .loopback4(port: options.port)
    port = listener.port ?? options.port
    let place = NodePlace(port: port, prefix: options.prefix, package: options.package)
    state = NodeState(place: place, settings: options.settings)
    account = state.accounts.newAccount()
    tokens = state.issueTokens(to: account, at: .now)
  }

  /// The node's own time, which may be set wrong.
  package var now: WallInstant { WallInstant.now + state.settings.clockSkew }

  package var transportKey: [UInt8] { sealing.transportKey }

  // MARK: Serving

  package func start() {
    Task {
      while let stream = try? await listener.accept() { serve(stream) }
    }
  }

  private func serve(_ stream: SocketStream) {
    guard servers.count < Self.connectionLimit else { return stream.close() }
    let wire = WireStream(stream)
    let server = NodeConnection.server(self, wire)
    let id = ObjectIdentifier(server)
    servers[id] = server
    Task {
      await server.serve(wire, HTTPConnectionInfo(localPort: port))
      servers[id] = nil
    }
  }

  /// Takes nothing new and cuts what still runs: whoever stops this node waits for nothing.
  package func stop() async {
    listener.close()
    for server in servers.values { await server.stop(within: .zero) }
  }

  // MARK: Answering

  /// One answer, and what happens to it on its way.
  package typealias Exchange = (answer: APIAnswer, acts: [MisbehaviourPlan.Act])

  package func answer(_ request: HTTPRequest) -> Exchange {
    guard request.path.hasPrefix(state.place.prefix) else { return (.notFound, []) }
    let path = String(request.path.dropFirst(state.place.prefix.count))
    switch path {
    case "/admin-api/tee/attest": return posted(request) { attest($0) }
    case "/sealed/v2/handshake": return posted(request) { handshake($0) }
    case "/sealed/v2": return posted(request) { exchange($0) }
    case _ where path == "/dev" || path.hasPrefix("/dev/"):
      let asked = ControlRequest(
        method: request.method.name, path: path, origin: request.headers[.origin],
        body: request.body)
      return (control(asked), [])
    case _ where CallName.isSealed(path):
      return (.refusal(403, "sealed_required", "This call is taken sealed only."), [])
    default: return browse(request, path: path)
    }
  }

  private func posted(_ request: HTTPRequest, _ run: ([UInt8]) -> Exchange) -> Exchange {
    guard request.method == .post else { return (.methodNotAllowed("POST"), []) }
    return run(request.body)
  }

  private func browse(_ request: HTTPRequest, path: String) -> Exchange {
    guard let path = PercentCoding.decodeText(path.utf8),
      let query = Query((request.query ?? "").utf8), let form = Query(request.body)
    else { return (.refusal(400, "malformed", "The address or the form is malformed."), []) }
    let asked = BrowserRequest(
      method: request.method == .head ? "GET" : request.method.name, path: path, query: query,
      origin: request.headers[.origin], form: form)
    guard let answer = state.browse(asked, at: now) else { return (.notFound, []) }
    count(.page)
    return (answer, state.plan.take([.wire], on: .page))
  }

  // MARK: Steering, for tests in the same process

  /// As `/dev/misbehave` does.
  package func misbehave(
    _ misbehaviour: Misbehaviour, on call: CallName? = nil, skip: Int = 0, times: Int? = 1,
    number: Int? = nil, text: String? = nil
  ) throws(MisbehaviourPlan.Refused) {
    try state.plan.add(
      misbehaviour, on: call, skip: skip, times: times, number: number, text: text)
  }

  /// As `/dev/tokens/expire` does.
  package func expireTokens() { state.accounts.expireTokens(of: account, at: now) }

  package var settings: NodeState.Settings {
    get { state.settings }
    set { state.settings = newValue }
  }

  /// As a press on a button of the page does.
  @discardableResult package func decide(
    _ id: String, _ decision: ConsentBook.Decision
  ) throws(ConsentBook.Refused) -> ConsentBook.Record {
    try state.decide(id, decision, at: now)
  }

  /// Runs a call as if it had come in an envelope, well-behaved.
  package func run(_ request: APIRequest) -> Ran { state.run(request, at: now) }

  func count(_ call: CallName) { state.calls[call, default: 0] += 1 }
}

extension APIAnswer {
  static let notFound = refusal(404, "not_found", "This node has nothing here.")
}
