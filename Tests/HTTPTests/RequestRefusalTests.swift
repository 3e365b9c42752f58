import HTTP
import Testing

/// Shapes on which two programs could disagree, and shapes that are no HTTP/1.1 at all.
@Suite struct RequestRefusalTests {
  @Test(arguments: [
    Input("no version", "GET /\r\n"),
    Input("no target", "GET  HTTP/1.1\r\n"),
    Input("no method", " / HTTP/1.1\r\n"),
    Input("only a method", "GET\r\n"),
    Input("two spaces", "GET /  HTTP/1.1\r\n"),
    Input("a space in the target", "GET /a b HTTP/1.1\r\n"),
    Input("a space at the end", "GET / HTTP/1.1 \r\n"),
    Input("a tab for a space", "GET\t/\tHTTP/1.1\r\n"),
    Input("a method that is no token", "G(T / HTTP/1.1\r\n"),
    Input("a version in small letters", "GET / http/1.1\r\n"),
    Input("a version with two digits", "GET / HTTP/1.10\r\n"),
    Input("a version with a sign", "GET / HTTP/+1.1\r\n"),
    Input("a version without a point", "GET / HTTP/1,1\r\n"),
    Input("another protocol", "GET / ICAP/1.0\r\n"),
    Input("version 2.0", "GET / HTTP/2.0\r\n", 505),
    Input("version 3.0", "GET / HTTP/3.0\r\n", 505),
    Input("version 0.9", "GET / HTTP/0.9\r\n", 505),
    Input("the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    Input("a TLS hello", [0x16, 0x03, 0x01, 0x02, 0x00]),
    Input("a target that is no path", "GET cb HTTP/1.1\r\n"),
    Input("a fragment", "GET /cb#x HTTP/1.1\r\n"),
    Input("a quote", "GET /\"x HTTP/1.1\r\n"),
    Input("a target that is not ASCII", "GET /ä HTTP/1.1\r\n"),
    Input("https", "GET https://a/ HTTP/1.1\r\n", 421),
    Input("another scheme", "GET ftp://a/ HTTP/1.1\r\n"),
    Input("no slashes after the scheme", "GET http:/a HTTP/1.1\r\n"),
    Input("asterisk form", "OPTIONS * HTTP/1.1\r\n", 405),
    Input("asterisk form of another method", "GET * HTTP/1.1\r\n"),
    Input("authority form", "CONNECT x:1 HTTP/1.1\r\n", 405),
    Input("authority form of another method", "GET x:1 HTTP/1.1\r\n"),
    Input("LF alone ends the line", "GET / HTTP/1.1\n"),
    Input("CR alone ends the line", "GET / HTTP/1.1\rHost: a\r"),
    Input("CR CR LF", "GET / HTTP/1.1\r\r\n"),
    Input("NUL", "GET /\0 HTTP/1.1\r\n"),
    Input("an escape sign", "GET /\u{1B}[2J HTTP/1.1\r\n"),
    Input("DEL", "GET /\u{7F} HTTP/1.1\r\n"),
    Input("LF first", "\nGET / HTTP/1.1\r\n"),
  ])
  func refusesARequestLine(_ input: Input) {
    #expect(parseAtEverySplit(input.bytes) == [.refused(input.status)])
  }

  @Test(arguments: [
    Input("no host of an absolute target", "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n"),
    Input("user information", "GET http://a@b/x HTTP/1.1\r\nHost: a\r\n\r\n"),
    Input("a broken port", "GET http://a:b/x HTTP/1.1\r\nHost: a\r\n\r\n"),
    Input("no Host field", "GET http://a/x HTTP/1.1\r\n\r\n"),
  ])
  func refusesAnAbsoluteTarget(_ input: Input) {
    #expect(parseAtEverySplit(input.bytes) == [.refused(400)])
  }

  @Test(arguments: [
    Input("a space before the colon", "X : a"),
    Input("a tab before the colon", "X\t: a"),
    Input("no colon", "X"),
    Input("no name", ": a"),
    Input("a space in the name", "X Y: a"),
    Input("a name that is not ASCII", "Xä: a"),
    Input("a name in parentheses", "(X): a"),
    Input("a folded line", "X: a\r\n b"),
    Input("a line folded with a tab", "X: a\r\n\tb"),
    Input("a line of one space", " "),
    Input("a space before the name", " X: a"),
    Input("a bare LF", "X: a\nY: b"),
    Input("a bare CR", "X: a\rY: b"),
    Input("a CR at the end of the value", "X: a\r"),
    Input("NUL", "X: a\0b"),
    Input("a vertical tab", "X: a\u{0B}b"),
    Input("DEL", "X: a\u{7F}b"),
    Input("two Hosts", "Host: b"),
    Input("two equal Hosts", "host: a"),
    Input("an expectation that nobody knows", "Expect: 200-ok", 417),
  ])
  func refusesAField(_ input: Input) {
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + input.bytes + Array("\r\n\r\n".utf8)
    #expect(parseAtEverySplit(bytes) == [.refused(input.status)])
  }

  @Test func refusesAFoldedFirstLine() {
    let text = "GET / HTTP/1.1\r\n Host: a\r\n\r\n"
    #expect(parseAtEverySplit(Array(text.utf8)) == [.refused(400)])
  }

  @Test(arguments: ["HTTP/1.1\r\n\r\n", "HTTP/1.1\r\nX: a\r\n\r\n"])
  func refusesAMissingHost(_ rest: String) {
    #expect(parseAtEverySplit(Array("GET / \(rest)".utf8)) == [.refused(400)])
  }

  @Test(arguments: [
    Input("a sign", "Content-Length: +3"),
    Input("a minus", "Content-Length: -3"),
    Input("a minus zero", "Content-Length: -0"),
    Input("hexadecimal", "Content-Length: 0x3"),
    Input("a list", "Content-Length: 3,3"),
    Input("a list with a space", "Content-Length: 3, 3"),
    Input("a full-width digit", "Content-Length: １"),
    Input("a fraction", "Content-Length: 3.0"),
    Input("an exponent", "Content-Length: 3e0"),
    Input("a space inside", "Content-Length: 3 3"),
    Input("a word", "Content-Length: abc"),
    Input("nothing", "Content-Length:"),
    Input("quotes", "Content-Length: \"3\""),
    Input("2^64", "Content-Length: 18446744073709551616", 413),
    Input("2^63", "Content-Length: 9223372036854775808", 413),
    Input("2^32", "Content-Length: 4294967296", 413),
    Input("forty digits", "Content-Length: 1000000000000000000000000000000000000003", 413),
    Input("two equal ones", "Content-Length: 3\r\nContent-Length: 3"),
    Input("two", "Content-Length: 3\r\ncontent-length: 4"),
    Input("two, the first of them 0", "Content-Length: 0\r\nContent-Length: 3"),
    Input("a length and chunks", "Content-Length: 3\r\nTransfer-Encoding: chunked"),
    Input("chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 3"),
    Input("a length and a coding", "Content-Length: 3\r\nTransfer-Encoding: gzip"),
    Input("chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
    Input("an empty coding", "Transfer-Encoding:"),
    Input("gzip and chunked", "Transfer-Encoding: gzip, chunked", 501),
    Input("chunked, chunked", "Transfer-Encoding: chunked, chunked", 501),
    Input("identity", "Transfer-Encoding: identity", 501),
    Input("chunked with a parameter", "Transfer-Encoding: chunked;q=1", 501),
    Input("chunked behind a vertical tab", "Transfer-Encoding: \u{0B}chunked"),
    Input("a name with a space and chunks", "Transfer-Encoding : chunked"),
  ])
  func refusesAFraming(_ input: Input) {
    let smuggled = "abcGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
    let bytes =
      Array("POST / HTTP/1.1\r\nHost: a\r\n".utf8) + input.bytes
      + Array("\r\n\r\n\(smuggled)".utf8)
    #expect(parseAtEverySplit(bytes) == [.refused(input.status)])
  }

  @Test func refusesATransferCodingOfHTTP10() {
    let text = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    #expect(parseAtEverySplit(Array(text.utf8)) == [.refused(400)])
  }

  @Test(arguments: ["3", "003", " 3", "3 ", "\t3\t", "0000000000000000000000000000000003"])
  func takesALength(_ length: String) throws {
    let text = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\(length)\r\n\r\nabc"
    let parsed = parseAtEverySplit(Array(text.utf8))
    guard case .request(let request) = try #require(parsed.first) else {
      Issue.record("refused")
      return
    }
    #expect(request.body == Array("abc".utf8))
  }
}
