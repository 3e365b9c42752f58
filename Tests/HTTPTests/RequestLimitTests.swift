import HTTP
import Testing

/// Each limit at its edge and one over it.
@Suite struct RequestLimitTests {
  private static let host = "Host: a\r\n"

  private func status(_ text: String, _ limits: HTTPLimits = HTTPLimits()) -> Int {
    let bytes = Array(text.utf8)
    let whole = parse([bytes], limits: limits)
    // In small pieces too: a limit must hold before the end of a line has been seen.
    let pieces = stride(from: 0, to: bytes.count, by: 1000).map {
      bytes[$0..<min($0 + 1000, bytes.count)]
    }
    #expect(parse(pieces, limits: limits) == whole)
    switch whole.last {
    case .request: return 200
    case .refused(let status): return status
    case .incomplete, nil: return 0
    }
  }

  private func requestLine(_ count: Int) -> String {
    "GET /\(String(repeating: "x", count: count - 14)) HTTP/1.1"
  }

  @Test func theRequestLineOfTheUnixSocketEndsAt16KiB() {
    #expect(requestLine(20).utf8.count == 20)
    #expect(status("\(requestLine(16_384))\r\n\(Self.host)\r\n", .unixSocket) == 200)
    #expect(status("\(requestLine(16_385))\r\n\(Self.host)\r\n", .unixSocket) == 414)
  }

  @Test func theRequestLineOfTheCallbackEndsAt64KiB() {
    #expect(status("\(requestLine(65_536))\r\n\(Self.host)\r\n", .callback) == 200)
    #expect(status("\(requestLine(65_537))\r\n\(Self.host)\r\n", .callback) == 414)
  }

  @Test func aLongReturnIsTakenAndAMuchLongerOneRefused() {
    let fits = "GET /cb?request_id=rq-1&extra=\(String(repeating: "x", count: 30_000)) HTTP/1.1"
    #expect(status("\(fits)\r\n\(Self.host)\r\n", .callback) == 200)
    #expect(status("GET /\(String(repeating: "x", count: 70_000))", .callback) == 414)
  }

  @Test func anEndlessRequestLineIsRefusedBeforeItsEnd() {
    #expect(status(String(requestLine(17_000).prefix(16_384))) == 0)
    #expect(status(String(requestLine(17_000).prefix(16_385))) == 414)
    #expect(status(String(repeating: "G", count: 16_385)) == 414)
  }

  /// Found by fuzzing: what stood behind the limit was looked at when it had come already, so that
  /// the same bytes were 400 in one piece and 414 in two.
  @Test func whatStandsBehindALimitIsNotLookedAt() {
    let line = String(repeating: "G", count: 16_385)
    #expect(status(line + "\n") == 414)
    #expect(status(line + "\0\r\n") == 414)
    #expect(status(String(line.dropLast()) + "\n") == 400)
    #expect(status("GET / HTTP/1.1\r\n\(String(repeating: "x", count: 65_535))\n") == 431)
  }

  private func fields(_ bytes: Int) -> String {
    let rest = bytes - Self.host.utf8.count
    return Self.host + "X: \(String(repeating: "x", count: rest - 5))\r\n"
  }

  @Test func theHeaderSectionEndsAt64KiB() {
    #expect(fields(100).utf8.count == 100)
    #expect(status("GET / HTTP/1.1\r\n\(fields(65_536))\r\n") == 200)
    #expect(status("GET / HTTP/1.1\r\n\(fields(65_537))\r\n") == 431)
    // Also when it is the last of many that does not fit.
    let three = "A: a\r\n"
    #expect(status("GET / HTTP/1.1\r\n\(fields(65_530))\(three)\r\n") == 200)
    #expect(status("GET / HTTP/1.1\r\n\(fields(65_531))\(three)\r\n") == 431)
  }

  @Test func anEndlessFieldIsRefusedBeforeItsEnd() {
    // 65,534 bytes leave room for the line's end.
    let start = { (count: Int) in "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: count - 3))"
    }
    #expect(status(start(65_534)) == 0)
    #expect(status(start(65_535)) == 431)
  }

  @Test func cookiesOfOtherAppsFit() {
    let cookie = { "Cookie: \(String(repeating: "c", count: $0))\r\n" }
    #expect(status("GET / HTTP/1.1\r\n\(Self.host)\(cookie(16_000))\r\n") == 200)
    #expect(status("GET / HTTP/1.1\r\n\(Self.host)\(cookie(70_000))\r\n") == 431)
  }

  @Test func aRequestHasAtMost100Fields() {
    let more = { (count: Int) in (1...count).map { "X\($0): x\r\n" }.joined() }
    #expect(status("GET / HTTP/1.1\r\n\(Self.host)\(more(99))\r\n") == 200)
    #expect(status("GET / HTTP/1.1\r\n\(Self.host)\(more(100))\r\n") == 431)
  }

  @Test func trailersCountLikeFields() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    let more = { (count: Int) in (1...count).map { "X\($0): x\r\n" }.joined() }
    #expect(status("\(head)\(more(100))\r\n") == 200)
    #expect(status("\(head)\(more(101))\r\n") == 431)
    #expect(status("\(head)X: \(String(repeating: "x", count: 65_531))\r\n\r\n") == 200)
    #expect(status("\(head)X: \(String(repeating: "x", count: 65_532))\r\n\r\n") == 431)
  }

  @Test func aBodyEndsAt1MiB() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "
    let mebibyte = String(repeating: "b", count: 1 << 20)
    #expect(status("\(head)1048576\r\n\r\n\(mebibyte)") == 200)
    // Refused by its length alone, before a byte of it came.
    #expect(status("\(head)1048577\r\n\r\n") == 413)
  }

  @Test func aChunkedBodyEndsAt1MiB() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let half = "80000\r\n\(String(repeating: "b", count: 1 << 19))\r\n"
    #expect(status("\(head)\(half)\(half)0\r\n\r\n") == 200)
    #expect(status("\(head)\(half)\(half)1\r\nb\r\n0\r\n\r\n") == 413)
  }

  @Test func chunkExtensionsEndAt4KiB() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunk = { "1;\(String(repeating: "e", count: $0 - 1))\r\nb\r\n" }
    #expect(status("\(head)\(chunk(4096))0\r\n\r\n") == 200)
    #expect(status("\(head)\(chunk(4097))0\r\n\r\n") == 400)
    // All chunks of a body share it.
    #expect(status("\(head)\(chunk(4000))\(chunk(96))0\r\n\r\n") == 200)
    #expect(status("\(head)\(chunk(4000))\(chunk(97))0\r\n\r\n") == 400)
  }
}
