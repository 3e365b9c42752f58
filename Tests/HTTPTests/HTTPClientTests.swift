import EventLoop
import HTTP
import Testing

@Suite @LoopActor struct HTTPClientTests {
  private func connected(
    _ handler: TestHandler = TestHandler(), over transport: Transport
  ) async throws -> (HTTPClientConnection, Fixture) {
    let fixture = try Fixture(handler, over: transport)
    return (HTTPClientConnection(try await fixture.connect()), fixture)
  }

  private func text(_ response: HTTPClientResponse) async throws -> String {
    String(decoding: try await response.body(), as: UTF8.self)
  }

  @Test(arguments: Transport.allCases)
  func sendsRequestsOnOneConnection(_ transport: Transport) async throws {
    let (client, fixture) = try await connected(over: transport)
    for number in 1...3 {
      let request = HTTPRequest(
        method: .post, path: "/\(number)", query: "q", body: Array("b\(number)".utf8), host: "h")
      let response = try await client.send(request)
      #expect(response.status == 200)
      #expect(!client.isReusable)
      #expect(try await text(response) == "POST /\(number)?q h [b\(number)]")
      #expect(client.isReusable)
    }
    #expect(fixture.server.connectionCount == 1)
    client.close()
    await fixture.waitUntilNobodyIsConnected()
  }

  @Test func anAnswerWithoutABodyLeavesTheConnectionReady() async throws {
    let (client, _) = try await connected(over: .memory)
    let head = try await client.send(HTTPRequest(method: .head, path: "/"))
    #expect(head.headers[.contentLength] == "10")
    #expect(try await text(head) == "")
    #expect(client.isReusable)
    client.close()
  }

  @Test func aStreamIsReadAsItComes() async throws {
    let handler = TestHandler()
    let body = HTTPBodyStream()
    handler.respond = { _ in HTTPResponse(200, stream: body) }
    let (client, _) = try await connected(handler, over: .unix)
    let response = try await client.send(HTTPRequest(method: .get, path: "/"))
    for text in ["one", "two"] {
      body.send(Array(text.utf8))
      #expect(try await response.next() == Array(text.utf8))
    }
    body.finish()
    #expect(try await response.next() == nil)
    #expect(client.isReusable)
    client.close()
  }

  @Test func givingAStreamUpEndsItForTheServer() async throws {
    let handler = TestHandler()
    let ended = Signal()
    handler.respond = { _ in
      let body = HTTPBodyStream()
      body.onEnd = { ended.fire() }
      return HTTPResponse(200, stream: body)
    }
    let (client, _) = try await connected(handler, over: .unix)
    try await client.send(HTTPRequest(method: .get, path: "/")).cancel()
    await ended.wait()
    #expect(!client.isReusable)
  }

  @Test func cancellingTheTaskClosesTheConnection() async throws {
    let handler = TestHandler()
    let started = Signal()
    let cancelled = Signal()
    handler.respond = { _ in
      started.fire()
      do { try await LoopActor.sleep(for: .seconds(60)) } catch { cancelled.fire() }
      return HTTPResponse(200)
    }
    let (client, _) = try await connected(handler, over: .unix)
    let task = Task { _ = try await client.send(HTTPRequest(method: .get, path: "/")) }
    await started.wait()
    task.cancel()
    await #expect(throws: HTTPClientError.stream(.closed)) { try await task.value }
    await cancelled.wait()
    #expect(!client.isReusable)
  }

  @Test func aDeadlineEndsTheWait() async throws {
    let handler = TestHandler()
    handler.respond = { _ in
      try? await LoopActor.sleep(for: .seconds(60))
      return HTTPResponse(200)
    }
    let (client, _) = try await connected(handler, over: .unix)
    await #expect(throws: HTTPClientError.stream(.timedOut)) {
      _ = try await client.send(
        HTTPRequest(method: .get, path: "/"), deadline: .now + .milliseconds(20))
    }
    #expect(!client.isReusable)
  }

  @Test func aServerThatHasGoneIsNoticedBeforeTheNextRequest() async throws {
    let (client, fixture) = try await connected(over: .unix)
    _ = try await text(try await client.send(HTTPRequest(method: .get, path: "/")))
    #expect(client.isReusable)
    await fixture.server.stop(within: .seconds(60))
    while client.isReusable { try await LoopActor.sleep(for: .milliseconds(1)) }
  }

  @Test func theAnswerOfAServerThatRefusesEarlyIsRead() async throws {
    let (client, _) = try await connected(over: .unix)
    let request = HTTPRequest(
      method: .post, path: "/", body: Array(repeating: 0, count: 2 << 20))
    let response = try await client.send(request)
    #expect(response.status == 413)
    #expect(try await text(response) == "The body is too large.\n")
    #expect(!client.isReusable)
  }

  // MARK: Servers that are broken

  private func answered(_ text: String) async throws -> HTTPClientConnection {
    let (client, server) = MemoryStream.pair(capacity: 2 << 20)
    try await server.write(text)
    server.shutdownWrite()
    return HTTPClientConnection(client)
  }

  @Test(arguments: [
    ("", HTTPClientError.endedEarly(answerBegan: false)),
    ("HTTP/1.1 200", .endedEarly(answerBegan: true)),
    ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", .endedEarly(answerBegan: true)),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
      .endedEarly(answerBegan: true)
    ),
    ("nonsense\r\n\r\n", .malformed(HTTPRefusal(502, ""))),
    (
      "HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n"
        + String(repeating: "x", count: 1_048_577),
      .malformed(HTTPRefusal(413, ""))
    ),
  ])
  func aBrokenAnswerIsAnError(_ text: String, _ expected: HTTPClientError) async throws {
    let client = try await answered(text)
    await #expect(throws: expected) {
      _ = try await client.send(HTTPRequest(method: .get, path: "/")).body()
    }
    #expect(!client.isReusable)
  }

  @Test func bytesThatNobodyAskedForEndTheConnection() async throws {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    let client = try await answered(answer + answer)
    #expect(try await text(try await client.send(HTTPRequest(method: .get, path: "/"))) == "ok")
    #expect(!client.isReusable)
  }

  @Test func aConnectionThatIsOverCannotBeUsed() async {
    await #expect(processExitsWith: .failure) { @LoopActor in
      let client = HTTPClientConnection(MemoryStream.pair().client)
      client.close()
      _ = try await client.send(HTTPRequest(method: .get, path: "/"))
    }
  }
}
