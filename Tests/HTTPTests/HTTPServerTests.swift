import EventLoop
import HTTP
import Testing

/// What a server does with requests, over every kind of stream.
@Suite @LoopActor struct HTTPServerTests {
  private static let get = "GET /cb?a=%2B HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: Transport.allCases)
  func answersRequestsInOrderOnOneConnection(_ transport: Transport) async throws {
    let fixture = try Fixture(TestHandler(), over: transport)
    let stream = try await fixture.connect()
    try await stream.write("GET /one?x=1 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await stream.read(through: "]").hasSuffix("\r\n\r\nGET /one?x=1 a []"))
    try await stream.write("POST /two HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
    #expect(try await stream.read(through: "]").hasSuffix("\r\n\r\nPOST /two a [abc]"))
    stream.close()
    await fixture.server.stop(within: .seconds(5))
  }

  @Test(arguments: Transport.allCases)
  func aRequestInSinglesBytesIsHandledOnce(_ transport: Transport) async throws {
    let handler = TestHandler()
    let fixture = try Fixture(handler, over: transport)
    let answer = try await fixture.exchange(Array(Self.get.utf8).map { [$0] })
    #expect(answer.hasSuffix("GET /cb?a=%2B a []"))
    #expect(handler.requests.count == 1)
  }

  @Test(arguments: Transport.allCases)
  func aClientThatEndsItsSideStillGetsItsAnswer(_ transport: Transport) async throws {
    let handler = TestHandler()
    var wasCancelled = false
    handler.respond = { _ in
      try? await LoopActor.sleep(for: .milliseconds(20))
      wasCancelled = Task.isCancelled
      return HTTPResponse(200, text: "done")
    }
    let fixture = try Fixture(handler, over: transport)
    #expect(try await fixture.exchange(Self.get).hasSuffix("\r\n\r\ndone"))
    #expect(!wasCancelled)
  }

  @Test func answersAllThatWasSentAhead() async throws {
    let fixture = try Fixture(TestHandler())
    let many = (1...50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
    let answer = try await fixture.exchange(many)
    #expect(statuses(answer) == Array(repeating: 200, count: 50))
    for number in 1...50 { #expect(answer.contains("GET /\(number) a []")) }
  }

  @Test func aRefusalEndsTheConnectionAndWhatFollowsIsNeverRun() async throws {
    let handler = TestHandler()
    let fixture = try Fixture(handler)
    let answer = try await fixture.exchange(
      "POST /v1/requests HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n"
        + "DELETE /v1/requests/rq-1 HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(statuses(answer) == [400])
    #expect(answer.contains("\r\nConnection: close\r\n"))
    #expect(handler.requests.isEmpty)
  }

  @Test func requestsBeforeARefusedOneAreAnswered() async throws {
    let fixture = try Fixture(TestHandler())
    #expect(
      try await statuses(fixture.exchange(Self.get + "GET / HTTP/2.0\r\n\r\n")) == [200, 505])
  }

  @Test func theHandlerWordsRefusals() async throws {
    @LoopActor final class Wording: HTTPHandler {
      func respond(to request: HTTPRequest, on connection: HTTPConnectionInfo) async -> HTTPResponse
      {
        HTTPResponse(200)
      }
      func answer(to refusal: HTTPRefusal, on connection: HTTPConnectionInfo) -> HTTPResponse {
        HTTPResponse(refusal.status, headers: ["Cache-Control": "no-store"], text: "{}")
      }
    }
    let fixture = try Fixture(Wording())
    let answer = try await fixture.exchange("GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
    #expect(statuses(answer) == [400])
    #expect(answer.contains("Cache-Control: no-store\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n{}"))
  }

  @Test(arguments: ["GET", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab"])
  func aRequestThatIsCutIsRefused(_ start: String) async throws {
    let handler = TestHandler()
    let fixture = try Fixture(handler)
    #expect(try await statuses(fixture.exchange(start)) == [400])
    #expect(handler.requests.isEmpty)
  }

  @Test func anEndWithoutARequestIsNoError() async throws {
    let fixture = try Fixture(TestHandler())
    #expect(try await fixture.exchange("") == "")
    #expect(fixture.server.connectionCount == 0)
  }

  // MARK: Keeping and closing

  @Test(arguments: [
    ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
    ("HTTP/1.1", "Connection: x, CLOSE\r\n", false),
    ("HTTP/1.1", "Connection: keep-alive\r\n", true),
    ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
    ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
  ])
  func keepsTheConnectionAsAsked(_ version: String, _ field: String, _ keeps: Bool) async throws {
    let fixture = try Fixture(TestHandler())
    let request = "GET / \(version)\r\nHost: a\r\n\(field)\r\n"
    let answer = try await fixture.exchange(request + request)
    #expect(statuses(answer).count == (keeps ? 2 : 1))
    #expect(answer.contains("Connection: close\r\n") == !keeps)
    #expect(answer.contains("Connection: keep-alive\r\n") == (keeps && version == "HTTP/1.0"))
  }

  @Test func aServerThatClosesAfterEachAnswerSaysSo() async throws {
    let fixture = try Fixture(TestHandler(), persistence: .closesAfterEachAnswer)
    let answer = try await fixture.exchange(Self.get + Self.get)
    #expect(statuses(answer) == [200])
    #expect(answer.contains("\r\nConnection: close\r\n"))
  }

  @Test func anAnswerMayEndItsConnection() async throws {
    let handler = TestHandler()
    handler.respond = { _ in
      var response = HTTPResponse(200)
      response.closesConnection = true
      return response
    }
    let fixture = try Fixture(handler)
    #expect(try await statuses(fixture.exchange(Self.get + Self.get)) == [200])
  }

  // MARK: 100-continue

  private static func post(_ fields: String) -> String {
    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\(fields)\r\n"
  }

  @Test(arguments: ["Content-Length: 2\r\n", "Transfer-Encoding: chunked\r\n"])
  func tellsAClientThatWaitsToGoOn(_ framing: String) async throws {
    let fixture = try Fixture(TestHandler())
    let stream = try await fixture.connect()
    try await stream.write(Self.post(framing))
    #expect(try await stream.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    try await stream.write(framing.contains("chunked") ? "2\r\nhi\r\n0\r\n\r\n" : "hi")
    #expect(try await statuses(stream.read(through: "[hi]")) == [200])
  }

  @Test func saysNothingToAClientThatDidNotWait() async throws {
    let fixture = try Fixture(TestHandler())
    #expect(
      try await statuses(fixture.exchange(Self.post("Content-Length: 2\r\n") + "hi")) == [200])
    #expect(try await statuses(fixture.exchange(Self.post(""))) == [200])
  }

  @Test(arguments: ["100-continue", "something"])
  func whatCannotBeMetIsRefusedInAnyOrder(_ first: String) async throws {
    let fixture = try Fixture(TestHandler())
    let second = first == "something" ? "100-continue" : "something"
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
    let fields = "Expect: \(first)\r\nExpect: \(second)\r\n\r\n"
    #expect(try await statuses(fixture.exchange(head + fields + "hi")) == [417])
  }

  @Test func refusesBeforeTheBodyIsSent() async throws {
    let handler = TestHandler()
    handler.refuseHead = { $0.path == "/no" ? HTTPResponse(421) : nil }
    let fixture = try Fixture(handler)
    let refused =
      "POST /no HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    #expect(try await statuses(fixture.exchange(refused)) == [421])
    let tooLarge = Self.post("Content-Length: 1048577\r\n")
    #expect(try await statuses(fixture.exchange(tooLarge)) == [413])
    #expect(handler.requests.isEmpty)
  }

  // MARK: Hooks

  @Test func aRefusedHeadWithoutABodyKeepsTheConnection() async throws {
    let handler = TestHandler()
    handler.refuseHead = { $0.host == "b" ? HTTPResponse(421) : nil }
    let fixture = try Fixture(handler)
    let other = "GET / HTTP/1.1\r\nHost: b\r\n\r\n"
    #expect(try await statuses(fixture.exchange(Self.get + other + Self.get)) == [200, 421, 200])
  }

  @Test func aRefusedHeadWithABodyEndsTheConnection() async throws {
    let handler = TestHandler()
    handler.refuseHead = { _ in HTTPResponse(403) }
    let fixture = try Fixture(handler)
    let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 45\r\n\r\n"
    #expect(try await statuses(fixture.exchange(post + Self.get)) == [403])
  }

  @Test(arguments: [Transport.unix, .loopback4])
  func refusesAPeerBeforeAByteIsParsed(_ transport: Transport) async throws {
    let handler = TestHandler()
    var seen: HTTPConnectionInfo?
    handler.admission = {
      seen = $0
      return .refused(HTTPResponse(403))
    }
    let fixture = try Fixture(handler, over: transport)
    // Not even HTTP, and yet the answer is about the peer.
    #expect(try await statuses(fixture.exchange("\0\0\0\n\n" + Self.get)) == [403])
    #expect(handler.requests.isEmpty)
    #expect((seen?.peer != nil) == (transport == .unix))
    #expect((seen?.localPort != nil) == (transport == .loopback4))
  }
}
