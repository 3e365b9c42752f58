import HTTP
import Testing

@Suite struct CodingTests {
  @Test(arguments: [
    ("", ""), ("abc", "abc"), ("%41", "A"), ("%2f%2F", "//"), ("%2B+", "++"), ("%2541", "%41"),
    ("%C3%A4", "ä"), ("%00", "\0"), ("a%0D%0Ab", "a\r\nb"),
  ])
  func decodesExactlyOnce(_ text: String, _ expected: String) {
    #expect(PercentCoding.decodeText(text.utf8) == expected)
  }

  @Test(arguments: ["%", "%4", "%ZZ", "%4G", "%%41", "a%", "%+1", "% 41", "%u0041"])
  func refusesABrokenEscape(_ text: String) {
    #expect(PercentCoding.decode(text.utf8) == nil)
    #expect(PercentCoding.decodeText(text.utf8) == nil)
  }

  @Test(arguments: ["%FF", "%C3", "%C3%28", "%C0%AF", "%ED%A0%80", "%F4%90%80%80"])
  func refusesWhatIsNoUTF8(_ text: String) {
    #expect(PercentCoding.decode(text.utf8) != nil)
    #expect(PercentCoding.decodeText(text.utf8) == nil)
  }

  @Test func doesNotNormalize() {
    let decomposed = PercentCoding.decodeText("a%CC%88".utf8)
    #expect(decomposed.map { Array($0.utf8) } == [0x61, 0xCC, 0x88])
  }

  @Test(arguments: [
    ("", ""), ("aZ09-._~", "aZ09-._~"), ("a b", "a%20b"), ("a+b/=", "a%2Bb%2F%3D"), ("ä", "%C3%A4"),
    ("%41", "%2541"), ("\r\n\0", "%0D%0A%00"), ("?#&", "%3F%23%26"),
  ])
  func encodesAllThatIsReserved(_ text: String, _ expected: String) {
    #expect(PercentCoding.encode(text) == expected)
    #expect(PercentCoding.decodeText(expected.utf8) == text)
  }

  @Test(arguments: [
    ("/", [""]), ("/a", ["a"]), ("/v1/requests/a%2Fb", ["v1", "requests", "a/b"]),
    ("//", ["", ""]),
    ("/a/", ["a", ""]), ("/../a/.", ["..", "a", "."]), ("/%2e%2E", [".."]), ("/a+b", ["a+b"]),
    ("/[", ["["]),
  ])
  func splitsAPath(_ path: String, _ expected: [String]) {
    #expect(PathSegments.split(path) == expected)
  }

  @Test(arguments: ["", "a", "*", "x:1", "/%", "/a/%FF/b", "/%ZZ"])
  func refusesABrokenPath(_ path: String) {
    #expect(PathSegments.split(path) == nil)
  }

  @Test(
    arguments: [
      ("", []), ("a=1", [("a", "1")]), ("a=1&a=2", [("a", "1"), ("a", "2")]), ("&&=&", [("", "")]),
      ("request_id&result", [("request_id", ""), ("result", "")]), ("a=b=c", [("a", "b=c")]),
      ("request%5Fid=rq-2", [("request_id", "rq-2")]), ("a=a%2Bb%2F%3D", [("a", "a+b/=")]),
      ("a=a+b%2F%3D", [("a", "a b/=")]), ("a=a%20b%2F%3D", [("a", "a b/=")]),
      ("a+b=1", [("a b", "1")]),
      ("a=%26%3D", [("a", "&=")]), ("a=1;b=2", [("a", "1;b=2")]), ("a=?", [("a", "?")]),
    ] as [(String, [(String, String)])])
  func splitsAQuery(_ query: String, _ expected: [(String, String)]) {
    #expect(FormQuery.parse(query) == expected.map { FormQuery.Pair($0.0, $0.1) })
  }

  @Test(arguments: ["a=%", "%=a", "a=%FF", "a=1&b=%ZZ", "%C3=1"])
  func refusesABrokenQuery(_ query: String) {
    #expect(FormQuery.parse(query) == nil)
  }

  @Test func aQueryThatWasWrittenIsReadTheSame() {
    let pairs = [("a b", "+&="), ("", ""), ("ä", "%41"), ("x", "\r\n")].map {
      FormQuery.Pair($0.0, $0.1)
    }
    // The empty pair is left out by readers, so it is written with its sign.
    #expect(FormQuery.encode(pairs) == "a%20b=%2B%26%3D&=&%C3%A4=%2541&x=%0D%0A")
    #expect(FormQuery.parse(FormQuery.encode(pairs)) == pairs)
  }
}
