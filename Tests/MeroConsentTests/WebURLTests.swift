import Testing

@testable import MeroConsent

@Suite struct WebURLTests {
  @Test func splitsAURL() throws {
    let url = try #require(WebURL("HTTPS://Notes.Example:8443/a%20b/c?x=1?y#f?g"))
    #expect(url.scheme == "https")
    #expect(url.host == "notes.example")
    #expect(url.port == 8443)
    #expect(url.path == "/a%20b/c")
    #expect(url.query == "x=1?y")
    #expect(url.fragment == "f?g")
    #expect(url.origin == "https://notes.example:8443")
    #expect(!url.hasUserInfo)
  }

  @Test func tellsAnEmptyPartFromNone() throws {
    let bare = try #require(WebURL("https://h"))
    #expect(bare.path == "" && bare.query == nil && bare.fragment == nil)
    let empty = try #require(WebURL("https://h?#"))
    #expect(empty.path == "" && empty.query == "" && empty.fragment == "")
  }

  @Test(arguments: [
    ("https://h:443/", "https://h"), ("http://h:80", "http://h"), ("https://h:80", "https://h:80"),
    ("http://[::1]:8080/x", "http://[::1]:8080"), ("https://h:00443/", "https://h"),
  ])
  func writesAnOriginOneWay(url: String, origin: String) {
    #expect(WebURL(url)?.origin == origin)
  }

  @Test(arguments: [
    ("http://127.0.0.1", true), ("http://127.8.9.10:1", true), ("http://localhost", true),
    ("http://LOCALHOST", true), ("http://[::1]", true), ("http://128.0.0.1", false),
    ("http://127.example", false), ("http://127.0.0.1.example", false),
    ("http://localhost.example", false), ("http://[::2]", false), ("http://[::ffff:1]", false),
    ("http://0.0.0.0", false),
  ])
  func knowsThisMachine(url: String, loopback: Bool) throws {
    #expect(try #require(WebURL(url)).isLoopback == loopback)
  }

  /// Other ways to write 127.0.0.1 that curl or a browser understands.
  @Test(arguments: [
    "http://127.1", "http://0x7f.0.0.1", "http://2130706433", "http://0177.0.0.1",
    "http://127.0.0.01", "http://127.0.0.1.", "http://localhost.", "http://[::ffff:127.0.0.1]",
    "http://[::1%25lo]", "http://127.0.0.0x1",
  ])
  func readsNoOddAddresses(url: String) {
    #expect(WebURL(url) == nil)
  }

  @Test(arguments: [
    "https://a@b@h/", "https://h@/", "https://h:1:2/", "https://[::1]x/", "https://[::1]:/",
    "https://h\\x/", "https://h/\u{1}", "https://h/ ", "https://h/{x}", "https://h|x/", "ftp://h/",
    "//h/x", "https", "https:", "https://%68/",
  ])
  func repairsNothing(url: String) {
    let parsed = WebURL(url)
    #expect(parsed == nil || parsed?.hasUserInfo == true)
  }

  @Test(arguments: [
    ("https://node.example", "https://node.example"),
    ("https://node.example/", "https://node.example"),
    ("https://Node.Example:443/node-7/", "https://node.example/node-7"),
    ("https://node.example/a/b//", "https://node.example/a/b"),
    ("http://127.0.0.1:4001", "http://127.0.0.1:4001"),
    ("http://[::1]:4001/x", "http://[::1]:4001/x"),
    ("http://localhost:4001", "http://localhost:4001"),
  ])
  func takesANodesAddress(url: String, written: String) throws {
    #expect(try NodeAddress(url).url == written)
  }

  @Test(arguments: [
    "", "node.example", "http://node.example", "https://user@node.example",
    "https://node.example?x", "https://node.example#x", "https://node.example/a//b",
    "https://node.example/../x", "https://node.example/./x", "ws://node.example", "file:///x",
  ])
  func refusesAnAddressThatIsNone(url: String) {
    let error = refusal { try NodeAddress(url) }
    #expect(error?.code == .requestInvalid)
    #expect(error?.field == "node.url")
  }
}
