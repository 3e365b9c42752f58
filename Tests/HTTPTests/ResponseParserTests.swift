import HTTP
import Testing

@Suite struct ResponseParserTests {
  private struct Answer: Equatable {
    var status: Int
    var body: String
    var persists: Bool
  }

  /// All answers in `pieces`, or the message of what is wrong.
  private func parse(_ pieces: [[UInt8]], toHead: Bool) -> [Answer]? {
    var parser = HTTPResponseParser(limits: HTTPLimits())
    var head: HTTPResponseHead?
    var body: [UInt8] = []
    var result: [Answer] = []
    do {
      for piece in pieces {
        parser.feed(piece)
        while true {
          if head == nil { head = try parser.nextHead(toHead: toHead) }
          guard let complete = head, try parser.readBody(into: &body) else { break }
          result.append(answer(complete, body))
          head = nil
          body = []
        }
      }
    } catch {
      return nil
    }
    if let head, parser.mayEndHere { result.append(answer(head, body)) }
    return result
  }

  private func answer(_ head: HTTPResponseHead, _ body: [UInt8]) -> Answer {
    Answer(
      status: head.status.code, body: String(decoding: body, as: UTF8.self), persists: head.persists
    )
  }

  private func parse(_ text: String, toHead: Bool = false) -> [Answer]? {
    let bytes = Array(text.utf8)
    let whole = parse([bytes], toHead: toHead)
    #expect(parse(bytes.map { [$0] }, toHead: toHead) == whole)
    return whole
  }

  @Test func readsAnswersOneAfterTheOther() {
    let text =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 204 No Content\r\n\r\n"
      + "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"
      + "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      + "HTTP/1.1 201\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n!\r\n0\r\n\r\n"
      + "HTTP/1.1 404 \r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    #expect(
      parse(text) == [
        Answer(status: 200, body: "hi", persists: true),
        Answer(status: 204, body: "", persists: true),
        Answer(status: 304, body: "", persists: true),
        Answer(status: 201, body: "!", persists: true),
        Answer(status: 404, body: "", persists: false),
      ])
  }

  @Test func theAnswerToHeadHasNoBody() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    #expect(parse(text + text, toHead: true)?.count == 2)
  }

  @Test func withoutALengthTheConnectionsEndIsTheBodys() {
    #expect(
      parse("HTTP/1.1 200 OK\r\n\r\nall of it")
        == [Answer(status: 200, body: "all of it", persists: false)])
    #expect(
      parse("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx")
        == [Answer(status: 200, body: "x", persists: true)])
  }

  @Test(arguments: [
    "HTTP/2 200\r\n", "HTTP/1.1 20\r\n", "HTTP/1.1  200\r\n", "HTTP/1.1 2000\r\n",
    "HTTP/1.1 099 x\r\n", "HTTP/1.1 600 x\r\n", "HTTP/1.1 999 x\r\n", "ICY 200 OK......\r\n",
    "HTTP/1.1 +20 OK\r\n", "HTTP/1.1 200 OK\n",
    "HTTP/1.1 101 Switching\r\n\r\n", "HTTP/1.1 200 OK\r\nX : a\r\n\r\n",
    "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "<html>not http</html>\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n" + String(repeating: "x", count: 1_048_577),
  ])
  func refusesAnAnswer(_ text: String) {
    #expect(parse(text) == nil)
  }
}
