import HTTP
import Testing

@Suite struct RequestParserTests {
  @Test func readsARequestWithAllItsParts() throws {
    let text =
      "POST /a/%2Fb?x=1&y=?z HTTP/1.1\r\nHost: [::1]:17463\r\nX-Empty:\r\nx-padded: \t v v \t\r\n"
      + "Content-Length: 4\r\n\r\n\r\n\0b"
    let parsed = parseAtEverySplit(Array(text.utf8))
    let headers: HTTPHeaders = [
      "Host": "[::1]:17463", "X-Empty": "", "X-Padded": "v v", "Content-Length": "4",
    ]
    let request = HTTPRequest(
      method: .post, path: "/a/%2Fb", query: "x=1&y=?z", headers: headers,
      body: Array("\r\n\0b".utf8), host: "[::1]:17463")
    #expect(parsed == [.request(request)])
  }

  /// Wherever in a value a byte is, and however much lies before and behind it.
  @Test func seesEachByteThatAValueMayNotHave() {
    for place in 0..<20 {
      for byte in UInt8.min...UInt8.max {
        var value = [UInt8](repeating: UInt8(ascii: "v"), count: 20)
        value[place] = byte
        let head = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8)
        var parser = HTTPRequestParser(limits: .unixSocket)
        parser.feed(head + value + Array("w\r\n\r\n".utf8))
        let isAllowed = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
        do throws(HTTPRefusal) {
          let found = try parser.nextHead()?.request.headers.bytes(of: "X")
          #expect(isAllowed, "byte \(byte) at \(place)")
          let isPadding = place == 0 && (byte == 0x09 || byte == 0x20)
          #expect(found?.elementsEqual(value.dropFirst(isPadding ? 1 : 0) + [0x77]) == true)
        } catch {
          #expect(!isAllowed, "byte \(byte) at \(place)")
          #expect(error.status == 400)
        }
      }
    }
  }

  @Test func keepsTheCaseOfMethodsAndTargets() throws {
    let parsed = parseAtEverySplit(Array("get /A HTTP/1.1\r\nHost: LocalHost:1\r\n\r\n".utf8))
    guard case .request(let request) = try #require(parsed.first) else { return }
    #expect(request.method != .get)
    #expect(request.path == "/A")
    #expect(request.host == "LocalHost:1")
  }

  @Test(arguments: [
    ("/", "/", nil), ("/?", "/", ""), ("//", "//", nil), ("//[", "//[", nil),
    ("/a?b?c", "/a", "b?c"), ("/%ZZ?%FF", "/%ZZ", "%FF"), ("/a|b\\c^{}`?[|]", "/a|b\\c^{}`", "[|]"),
    ("/../a/./b", "/../a/./b", nil), ("http://a/x?y", "/x", "y"), ("HTTP://a", "/", nil),
    ("http://a?q", "/", "q"),
  ])
  func splitsTheTarget(_ target: String, _ path: String, _ query: String?) throws {
    let parsed = parseAtEverySplit(Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    let request = HTTPRequest(
      method: .get, path: path, query: query, headers: ["Host": "a"], host: "a")
    #expect(parsed == [.request(request)])
  }

  @Test func theHostOfAnAbsoluteTargetCountsInsteadOfTheField() throws {
    let text = "GET http://evil.example:8/x HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"
    guard case .request(let request) = try #require(parse([Array(text.utf8)]).first) else { return }
    #expect(request.host == "evil.example:8")
  }

  @Test(arguments: [
    "", "a", "a:", "a:1", "127.0.0.1:17463", "[::1]", "[::1]:17463", "%2Frun%2Fapi.sock", ":80",
    "a_b-c.d~e!$&'()*+,;=", "[::ffff:1.2.3.4]:1",
  ])
  func takesAHost(_ host: String) throws {
    let parsed = parseAtEverySplit(Array("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
    guard case .request(let request) = try #require(parsed.first) else {
      Issue.record("refused")
      return
    }
    #expect(request.host == host)
  }

  @Test(arguments: [
    "a b", "run/user/x/api.sock", "a@b", "127.0.0.1:1@evil", "a:b", "a:-1", "[::1", "::1", "[]",
    "[::1]a", "[::1]:1:2", "%", "%2", "%GG", "a?b", "a#b", "a,b c", "\"a\"", "é", "[g]", "a:1 2",
  ])
  func refusesAHost(_ host: String) {
    let text = "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    #expect(parseAtEverySplit(Array(text.utf8)) == [.refused(400)])
  }

  @Test func aRequestOfHTTP10NeedsNoHost() throws {
    let parsed = parseAtEverySplit(Array("GET / HTTP/1.0\r\n\r\n".utf8))
    #expect(parsed == [.request(HTTPRequest(method: .get, path: "/", version: .http10))])
  }

  @Test func aLaterMinorVersionIsReadAsTheOneWeKnow() throws {
    let parsed = parse([Array("GET / HTTP/1.9\r\nHost: a\r\n\r\n".utf8)])
    guard case .request(let request) = try #require(parsed.first) else { return }
    #expect(request.version == .http11)
  }

  @Test func skipsOneEmptyLineBeforeARequest() {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    let request = Parsed.request(
      HTTPRequest(method: .get, path: "/", headers: ["Host": "a"], host: "a"))
    #expect(parseAtEverySplit(Array("\r\n\(get)\r\n\(get)".utf8)) == [request, request])
    #expect(parseAtEverySplit(Array("\r\n\r\n\(get)".utf8)) == [.refused(400)])
  }

  @Test func readsRequestsThatWereSentAhead() {
    let text =
      "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
      + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
      + "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n!\r\n0\r\n\r\n"
      + "GET /4 HTTP/1.1\r\nHost: a\r\n\r\nGET /5"
    let parsed = parseAtEverySplit(Array(text.utf8))
    let paths = parsed.map { parsed -> String in
      guard case .request(let request) = parsed else { return "\(parsed)" }
      return request.path + String(decoding: request.body, as: UTF8.self)
    }
    #expect(paths == ["/1hi", "/2", "/3!", "/4", "incomplete"])
  }

  @Test func findsTheLastOfManyFields() throws {
    let many = (1...60).map { "X-\($0): value: with: colons\r\n" }.joined()
    let parsed = parse([Array("GET / HTTP/1.1\r\n\(many)Host: [::1]:5\r\n\r\n".utf8)])
    guard case .request(let request) = try #require(parsed.first) else { return }
    #expect(request.host == "[::1]:5")
    #expect(request.headers["X-60"] == "value: with: colons")
    #expect(request.headers.count == 61)
  }

  @Test func takesBytesOfAValueThatAreNoASCII() throws {
    let text =
      Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xFF, 0xC3, 0xA4] + Array("\r\n\r\n".utf8)
    guard case .request(let request) = try #require(parseAtEverySplit(text).first) else { return }
    #expect(request.headers.bytes(of: "X")?.elementsEqual([0xFF, 0xC3, 0xA4]) == true)
    #expect(request.headers["X"] == "\u{FFFD}ä")
  }
}
