import EventLoop
import Glibc
import HTTP
import Testing

/// However much one client does, the loop has time for others in between.
@Suite @LoopActor struct FairnessTests {
  @LoopActor final class Counter: HTTPHandler {
    private let atOnce: Bool
    private(set) var count = 0

    init(atOnce: Bool) { self.atOnce = atOnce }

    func reply(to request: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPReply {
      count += 1
      let response = HTTPResponse(200, text: "ok]")
      return atOnce ? .now(response) : .later { response }
    }

    func respond(to request: HTTPRequest, on connection: HTTPConnectionInfo) async -> HTTPResponse {
      HTTPResponse(200)
    }
  }

  @Test(arguments: [true, false])
  func whoSendsAheadWithoutEndLetsOthersHaveTheirTurn(_ atOnce: Bool) async throws {
    let handler = Counter(atOnce: atOnce)
    let fixture = try Fixture(handler)
    let stream = try await fixture.connect(capacity: 16 << 20)
    let pad = String(repeating: "x", count: 4000)
    let request = "GET / HTTP/1.1\r\nHost: a\r\nX: \(pad)\r\n\r\n"
    try await stream.write(String(repeating: request, count: 400))
    var turns = 0
    while handler.count < 400 {
      turns += 1
      await turn()
    }
    #expect(turns > 40)
    stream.close()
  }

  @Test func manyWhoConnectAtOnceLetOthersHaveTheirTurn() async throws {
    let listener = try Listener.loopback4(port: 0)
    let server = HTTPServer(handler: TestHandler(), limits: .patient)
    let clients = try (1...300).map { _ in try connected(to: listener.address) }
    defer { for client in clients { Glibc.close(client) } }
    server.listen(on: listener)
    var counts: Set<Int> = []
    while server.connectionCount < clients.count {
      counts.insert(server.connectionCount)
      await turn()
    }
    #expect(counts.contains { $0 > 0 && $0 < clients.count })
    await server.stop(within: .seconds(60))
  }

  /// Others' turn, on the loop itself: a yield comes back by another thread, which on a busy machine
  /// takes as long as that thread waits.
  private func turn() async { await Task { @LoopActor in }.value }

  /// In the queue of a listener before anybody accepts.
  private func connected(to address: SocketAddress) throws -> CInt {
    let number = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    try #require(number >= 0)
    var result: CInt = -1
    try address.withKernelForm { form, length throws(SystemError) in
      result = Glibc.connect(number, form, length)
    }
    try #require(result == 0)
    return number
  }
}
