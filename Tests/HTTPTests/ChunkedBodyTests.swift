import HTTP
import Testing

@Suite struct ChunkedBodyTests {
  private func parsed(_ body: String, limits: HTTPLimits = HTTPLimits()) -> [Parsed] {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
    return parseAtEverySplit(Array((head + body).utf8), limits: limits)
  }

  private func body(_ parsed: [Parsed]) throws -> String {
    guard case .request(let request) = try #require(parsed.first) else { return "\(parsed)" }
    #expect(parsed.count == 1)
    return String(decoding: request.body, as: UTF8.self)
  }

  @Test(arguments: [
    ("0\r\n\r\n", ""),
    ("3\r\nabc\r\n0\r\n\r\n", "abc"),
    ("3\r\nabc\r\n4\r\nd\r\ne\r\n0\r\n\r\n", "abcd\r\ne"),
    ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
    ("a\r\n0123456789\r\n000\r\n\r\n", "0123456789"),
    ("0000000000000003\r\nabc\r\n0\r\n\r\n", "abc"),
    ("3;name=value\r\nabc\r\n0;last\r\n\r\n", "abc"),
    ("3 ; name=\"v;w\"\r\nabc\r\n0\r\n\r\n", "abc"),
    ("3\r\nabc\r\n0\r\nX-Trailer: t\r\nY: \r\n\r\n", "abc"),
    ("3\r\nabc\r\n0\r\nContent-Length: 7\r\n\r\n", "abc"),
  ])
  func joinsChunks(_ text: String, _ expected: String) throws {
    #expect(try body(parsed(text)) == expected)
  }

  @Test(arguments: [
    Input("no size", "\r\nabc"),
    Input("no digits", "x\r\nabc"),
    Input("a sign", "+3\r\nabc"),
    Input("a minus", "-3\r\nabc"),
    Input("a prefix", "0x3\r\nabc"),
    Input("a space first", " 3\r\nabc"),
    Input("a space behind", "3 \r\nabc"),
    Input("a comma", "3,3\r\nabc"),
    Input("an underscore", "1_0\r\nabc"),
    Input("a full-width digit", "３\r\nabc"),
    Input("2^31", "80000000\r\nabc"),
    Input("2^32", "100000000\r\nabc"),
    Input("more than 64 bits", "FFFFFFFFFFFFFFFFF\r\nabc"),
    Input("2^64 + 3", "10000000000000003\r\nabc"),
    Input("seventeen digits", "00000000000000003\r\nabc"),
    Input("over the body's limit", "100001\r\nabc", 413),
    Input("LF ends the size", "3\nabc\r\n0\r\n\r\n"),
    Input("CR ends the size", "3\rabc\r\n0\r\n\r\n"),
    Input("LF in an extension", "3;a\nb\r\nabc\r\n0\r\n\r\n"),
    Input("CR in an extension", "3;a\rb\r\nabc\r\n0\r\n\r\n"),
    Input("NUL in an extension", "3;a\0b\r\nabc\r\n0\r\n\r\n"),
    Input("data longer than its size", "3\r\nabcd\r\n0\r\n\r\n"),
    Input("data without a line end", "3\r\nabc0\r\n\r\n"),
    Input("LF ends the data", "3\r\nabc\n0\r\n\r\n"),
    Input("CR ends the data", "3\r\nabc\r0\r\n\r\n"),
    Input("a broken trailer", "0\r\nX : a\r\n\r\n"),
    Input("a folded trailer", "0\r\nX: a\r\n b\r\n\r\n"),
    Input("a request for a trailer", "0\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    Input("two lengths in the trailer", "0\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"),
  ])
  func refusesChunks(_ input: Input) {
    let text = String(decoding: input.bytes, as: UTF8.self)
    #expect(parsed(text) == [.refused(input.status)])
  }

  @Test func aBodyIsTheSameInAnyChunks() throws {
    let content = String(repeating: "0123456789abcdef", count: 4)
    for size in 1...content.utf8.count {
      var text = ""
      var rest = Substring(content)
      while !rest.isEmpty {
        let piece = rest.prefix(size)
        text += "\(String(piece.count, radix: 16))\r\n\(piece)\r\n"
        rest = rest.dropFirst(size)
      }
      let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      #expect(try body(parse([Array("\(head)\(text)0\r\n\r\n".utf8)])) == content)
    }
  }
}
