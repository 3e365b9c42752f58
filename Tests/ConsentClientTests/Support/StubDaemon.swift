import ConsentClient
import EventLoop
import Glibc
import HTTP
import MeroConsent
import Testing

/// A daemon that says what a test tells it to say, on a real Unix socket.
@LoopActor final class StubDaemon: HTTPHandler {
  let path: String
  private let key: SessionKey
  private(set) var requests: [HTTPRequest] = []
  private var server: HTTPServer?
  private var respond: @LoopActor (HTTPRequest) async -> HTTPResponse

  init(_ respond: @escaping @LoopActor (HTTPRequest) async -> HTTPResponse) throws {
    var template = Array("/tmp/client-test-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template))) + "/s"
    key = try #require(SessionKey("k-secret"))
    self.respond = respond
    try start()
  }

  /// One answer for everything.
  convenience init(_ status: HTTPStatus, _ json: String, headers: HTTPHeaders = [:]) throws {
    try self.init { _ in HTTPResponse(status, headers: headers, text: json) }
  }

  deinit {
    unlink(path)
    rmdir(String(path.dropLast(2)))
  }

  func start() throws {
    let server = HTTPServer(handler: self)
    server.listen(on: try .unix(path: path, mode: 0o600))
    self.server = server
  }

  /// Like a daemon that ends: streams get their farewell.
  func stop() async {
    await server?.stop(within: .milliseconds(100))
    server = nil
  }

  func answer(_ respond: @escaping @LoopActor (HTTPRequest) async -> HTTPResponse) {
    self.respond = respond
  }

  func respond(to request: HTTPRequest, on connection: HTTPConnectionInfo) async -> HTTPResponse {
    requests.append(request)
    return await respond(request)
  }

  var connectionCount: Int { server?.connectionCount ?? 0 }

  nonisolated func client(_ options: BrokerClient.Options = .init()) -> BrokerClient {
    BrokerClient(socket: path, options: options)
  }

  nonisolated func session(_ options: BrokerClient.Options = .init()) -> BrokerSession {
    client(options).session(key: key)
  }
}

/// A request's JSON as the daemon writes it.
func requestJSON(
  _ state: String = "started", id: String = "rq-1", kind: String = "createOrg", more: String = ""
) -> String {
  #"{"code":"7QF2-XK","createdAt":"2026-12-01T09:00:00Z","expiresAt":"2026-12-01T10:00:00.250Z","#
    + #""kind":"\#(kind)","requestId":"\#(id)","state":"\#(state)","#
    + #""url":"https://node.example/consent/1"\#(more)}"#
}

func problemJSON(_ code: String, status: Int = 422, more: String = "") -> String {
  #"{"code":"\#(code)","detail":"Say so.","status":\#(status),"title":"T","type":"urn:x"\#(more)}"#
}

extension HTTPRequest {
  var text: String { String(decoding: body, as: UTF8.self) }
  var line: String { "\(method.name) \(path)" + (query.map { "?\($0)" } ?? "") }
}

/// Something that happens once, for a test that waits for it.
@LoopActor final class Signal {
  private var happened = false
  private var waiters: [UnsafeContinuation<Void, Never>] = []

  func fire() {
    happened = true
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  func wait() async {
    if happened { return }
    await withUnsafeContinuation { waiters.append($0) }
  }
}
