import EventLoop
import Glibc
import HTTP
import Testing

/// What a test's bytes go through.
enum Transport: CaseIterable, Sendable {
  case memory
  case unix
  case loopback4
}

extension HTTPLimits {
  /// For tests that are not about time, on a machine that may be busy with others.
  static let patient: HTTPLimits = {
    var limits = HTTPLimits()
    limits.headerTime = .seconds(600)
    limits.bodyTime = .seconds(600)
    limits.idleTime = .seconds(600)
    limits.writeStall = .seconds(600)
    limits.lingerTime = .seconds(600)
    limits.placeGrace = .seconds(600)
    return limits
  }()
}

/// A running server, and streams to it.
@LoopActor final class Fixture {
  let server: HTTPServer
  private let transport: Transport
  private var address: SocketAddress?

  init(
    _ handler: any HTTPHandler, limits: HTTPLimits = .patient,
    persistence: HTTPServer.Persistence = .keepAlive, over transport: Transport = .memory
  ) throws {
    server = HTTPServer(handler: handler, limits: limits, persistence: persistence)
    self.transport = transport
    switch transport {
    case .memory: return
    case .unix:
      var template = Array("/tmp/http-test-XXXXXX".utf8CString)
      let directory = String(cString: try #require(mkdtemp(&template)))
      address = .unix(path: directory + "/s")
      server.listen(on: try .unix(path: directory + "/s", mode: 0o600))
    case .loopback4:
      let listener = try Listener.loopback4(port: 0)
      address = listener.address
      server.listen(on: listener)
    }
  }

  deinit {
    if case .unix(let path) = address {
      unlink(path)
      rmdir(String(path.dropLast(2)))
    }
  }

  func connect(capacity: Int = 1 << 20) async throws -> any ByteStream {
    if let address { return try await Connector.connect(to: address) }
    let (client, server) = MemoryStream.pair(capacity: capacity)
    Task { await self.server.serve(server, HTTPConnectionInfo()) }
    return client
  }

  /// Sends the pieces one by one, ends the sending side, and reads to the end.
  func exchange(_ pieces: [[UInt8]]) async throws -> String {
    let stream = try await connect()
    // A server that has refused may close before it has read everything.
    let sending = Task {
      for piece in pieces {
        guard (try? await stream.write(piece)) != nil else { return }
        await Task.yield()
      }
      stream.shutdownWrite()
    }
    let answer = try await stream.readToEnd()
    await sending.value
    stream.close()
    return answer
  }

  func exchange(_ text: String) async throws -> String {
    try await exchange([Array(text.utf8)])
  }
}

extension ByteStream {
  func readToEnd() async throws -> String {
    var bytes: [UInt8] = []
    while try await read(into: &bytes, limit: 65_536) > 0 {}
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads until the text has `end`; what came after it in the same piece is there too.
  func read(through end: String) async throws -> String {
    var bytes: [UInt8] = []
    while !String(decoding: bytes, as: UTF8.self).contains(end) {
      try #require(try await read(into: &bytes, limit: 65_536) > 0)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func write(_ text: String) async throws { try await write(Array(text.utf8)) }
}

/// Answers `method path?query host body`, and does what a test tells it to.
@LoopActor final class TestHandler: HTTPHandler {
  var respond: @LoopActor (HTTPRequest) async -> HTTPResponse = { request in
    let query = request.query.map { "?\($0)" } ?? ""
    let body = String(decoding: request.body, as: UTF8.self)
    let line = "\(request.method.name) \(request.path)\(query) \(request.host ?? "-") [\(body)]"
    return HTTPResponse(200, text: line)
  }
  var admission: @LoopActor (HTTPConnectionInfo) -> HTTPAdmission = { _ in .served }
  var refuseHead: @LoopActor (HTTPRequest) -> HTTPResponse? = { _ in nil }
  private(set) var requests: [HTTPRequest] = []

  func admit(_ connection: HTTPConnectionInfo) -> HTTPAdmission { admission(connection) }

  func refuse(head: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPResponse? {
    connection.isAdmitted ? refuseHead(head) : HTTPResponse(403)
  }

  func respond(to request: HTTPRequest, on connection: HTTPConnectionInfo) async -> HTTPResponse {
    requests.append(request)
    return await respond(request)
  }
}

/// The statuses of all answers in `text`, wherever one begins.
func statuses(_ text: String) -> [Int] {
  text.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
}
