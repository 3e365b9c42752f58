import EventLoop
import HTTP
import Testing

/// How answers look on the wire.
@Suite @LoopActor struct ResponseWritingTests {
  private func answer(
    _ response: HTTPResponse, to request: String = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
  ) async throws -> String {
    let handler = TestHandler()
    handler.respond = { _ in response }
    return try await answer(by: handler, to: request)
  }

  private func answer(
    by handler: any HTTPHandler, to request: String = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
  ) async throws -> String {
    let text = try await Fixture(handler).exchange(request)
    // The date is the one part that differs from run to run.
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    let date = try #require(lines.first { $0.hasPrefix("Date: ") })
    #expect(date.utf8.count == "Date: Sun, 06 Nov 1994 08:49:37 GMT".utf8.count)
    return lines.filter { !$0.hasPrefix("Date: ") }.joined(separator: "\r\n")
  }

  private static let head = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func writesFieldsAndLength() async throws {
    let response = HTTPResponse(201, headers: ["Location": "/x", "ETag": "\"1\""], text: "body")
    #expect(
      try await answer(response)
        == "HTTP/1.1 201 Created\r\nLocation: /x\r\nETag: \"1\"\r\nContent-Length: 4\r\n\r\nbody")
  }

  @Test func anEmptyBodyHasALengthToo() async throws {
    #expect(
      try await answer(HTTPResponse(404)) == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
  }

  @Test func aStatusWithoutWordsKeepsItsSpace() async throws {
    #expect(try await answer(HTTPResponse(299)).hasPrefix("HTTP/1.1 299 \r\n"))
  }

  @Test func headHasTheLengthAndNoBody() async throws {
    let response = HTTPResponse(200, text: "four")
    #expect(
      try await answer(response, to: Self.head) == "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
  }

  @Test func theNextRequestAfterHeadIsUnderstood() async throws {
    let fixture = try Fixture(TestHandler())
    let text = try await fixture.exchange(Self.head + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(statuses(text) == [200, 200])
    #expect(!text.contains("HEAD / a"))
    #expect(text.hasSuffix("GET /next a []"))
  }

  @Test(arguments: [204, 304] as [HTTPStatus])
  func someStatusesHaveNoBody(_ status: HTTPStatus) async throws {
    let text = try await answer(HTTPResponse(status, headers: ["ETag": "\"1\""], text: "wrong"))
    #expect(!text.contains("Content-Length"))
    #expect(text.hasSuffix("\r\nETag: \"1\"\r\n\r\n"))
  }

  @Test func theFramingIsTheServersBusiness() async throws {
    let headers: HTTPHeaders = [
      "Content-Length": "99", "X": "x", "transfer-encoding": "gzip", "Connection": "upgrade",
      "Date": "today",
    ]
    #expect(
      try await answer(HTTPResponse(200, headers: headers, text: "ok"))
        == "HTTP/1.1 200 OK\r\nX: x\r\nContent-Length: 2\r\n\r\nok")
  }

  /// A kept answer that was put together once is the same bytes to everybody.
  @Test(
    arguments: [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.0\r\n\r\n",
      "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ], [0, 4, 16 * 1024, 16 * 1024 + 1])
  func aPreparedAnswerIsTheSameToEverybody(_ request: String, _ count: Int) async throws {
    let headers: HTTPHeaders = ["ETag": "\"1\"", "Connection": "upgrade", "Date": "today"]
    for status in [200, 304] as [HTTPStatus] {
      let response = HTTPResponse(
        status, headers: headers, text: String(repeating: "b", count: count))
      let usual = try await answer(response, to: request)
      let kept = KeptHandler(response)
      for _ in 1...2 { #expect(try await answer(by: kept, to: request) == usual) }
    }
  }

  @Test func aPreparedAnswerHasTheDateOfItsSending() async throws {
    let handler = KeptHandler(HTTPResponse(200, headers: ["ETag": "\"1\""], text: "one"))
    let fixture = try Fixture(handler)
    for (second, date) in [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (784_111_778, "Sun, 06 Nov 1994 08:49:38 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ] {
      fixture.server.secondsSince1970 = { second }
      #expect(
        try await fixture.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n") == """
          HTTP/1.1 200 OK\r\nDate: \(date)\r\nETag: "1"\r\nContent-Length: 3\r\n\r\none
          """)
    }
  }

  @Test func aPreparedAnswerThatIsTheLastOneSaysSo() async throws {
    var response = HTTPResponse(200, text: "one")
    response.closesConnection = true
    #expect(try await answer(by: KeptHandler(response)).contains("Connection: close\r\n"))
  }

  @Test(arguments: [0, 1, 16 * 1024, 16 * 1024 + 1, 1 << 20])
  func writesBodiesOfAllSizes(_ count: Int) async throws {
    let body = String(repeating: "b", count: count)
    let text = try await answer(HTTPResponse(200, text: body))
    #expect(text == "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n\(body)")
  }

  @Test func aStreamIsSentInChunks() async throws {
    let stream = HTTPBodyStream()
    stream.send(Array("first".utf8))
    stream.send([])
    stream.send(Array("-second".utf8))
    stream.finish()
    #expect(
      try await answer(HTTPResponse(200, stream: stream))
        == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\nfirst-second\r\n0\r\n\r\n")
  }

  @Test func aStreamForHTTP10EndsWithTheConnection() async throws {
    let stream = HTTPBodyStream()
    stream.send(Array("all".utf8))
    stream.finish()
    let request = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    let text = try await answer(HTTPResponse(200, stream: stream), to: request + request)
    #expect(statuses(text) == [200])
    #expect(!text.contains("chunked"))
    #expect(text.contains("Connection: close\r\n"))
    #expect(text.hasSuffix("\r\n\r\nall"))
  }

  @Test func headEndsAStreamThatNobodyReads() async throws {
    let stream = HTTPBodyStream()
    var ended = false
    stream.onEnd = { ended = true }
    let text = try await answer(HTTPResponse(200, stream: stream), to: Self.head)
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(text.hasSuffix("\r\n\r\n"))
    #expect(ended && stream.isOver)
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
    (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
    (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
    (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
  ])
  func writesDates(_ seconds: Int, _ text: String) {
    #expect(HTTPDate.text(secondsSince1970: seconds) == text)
  }
}

/// Has one answer for everybody.
@LoopActor private final class KeptHandler: HTTPHandler {
  private let answer: HTTPReply

  init(_ response: HTTPResponse) { answer = .kept(response) }

  func reply(to request: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPReply { answer }

  func respond(to request: HTTPRequest, on connection: HTTPConnectionInfo) async -> HTTPResponse {
    await answer.value()
  }
}
