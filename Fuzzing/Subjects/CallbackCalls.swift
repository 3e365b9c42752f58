import HTTP

@testable import Callback

extension Subject {
  /// What a browser, or any program on this machine, sends to the callback: which of it is a
  /// person's navigation to this very address, and in which language they are answered.
  ///
  /// The input is the head of a request.
  static let callbackCalls = Subject(
    name: "callback-calls", longest: 1024,
    words: [
      "GET /return/", "GET /done/", "?request_id=", "Host: 127.0.0.1:17463\r\n", "[::1]:",
      "localhost",
      "Origin: null\r\n", "Sec-Fetch-Mode: navigate\r\n", "Sec-Fetch-Dest: document\r\n",
      "Sec-Purpose: prefetch;prerender\r\n", "X-Moz: prefetch\r\n", "Accept-Language: ",
      "zh-Hant-HK",
      ";q=0.001", "*",
    ],
    seeds: [
      "GET /return/t?request_id=r HTTP/1.1\r\nHost: 127.0.0.1:17463\r\nSec-Fetch-Mode: navigate\r\n"
        + "Sec-Fetch-Dest: document\r\nAccept-Language: de-AT, de;q=0.9, *;q=0.1\r\n\r\n",
      "GET /done/v HTTP/1.1\r\nHost: LOCALHOST:17463\r\nSec-Purpose: prefetch;prerender\r\n\r\n",
      "HEAD /return HTTP/1.1\r\nHost: [::1]:17463\r\nOrigin: null\r\n"
        + "Accept-Language: zh-TW;q=1.0,ja;q=0\r\nAccept-Language: fr\r\n\r\n",
    ].map { Array($0.utf8) }
  ) { bytes throws(Finding) in
    var parser = HTTPRequestParser(limits: HTTPLimits())
    parser.feed(bytes)
    guard let head = try? parser.nextHead()?.request else { return }
    try checkPath(head.path)
    try checkHost(head.host)
    try checkNavigation(head.headers)
    try checkLanguage(head.headers.values(of: "Accept-Language"))
  }

  /// A path that is the callback's is so byte for byte.
  private static func checkPath(_ path: String) throws(Finding) {
    let (written, ticket): (String, String?)
    switch CallbackPath(path) {
    case nil: return
    case .return(let given?): (written, ticket) = ("/return/\(given)", given)
    case .return(nil): (written, ticket) = ("/return", nil)
    case .done(let given): (written, ticket) = ("/done/\(given)", given)
    }
    try require(written.utf8.elementsEqual(path.utf8), "the path \(path) is taken as \(written)")
    try require(
      ticket.map { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "/")) } != false, "no ticket")
  }

  private static func checkHost(_ host: String?) throws(Finding) {
    for port: UInt16 in [17463, 80] where HostRule.admits(host, port: port) {
      guard let host else { throw Finding(description: "no host is admitted") }
      // Cut apart from behind: what stands before the port is one of three names and nothing else.
      let suffix = ":\(port)"
      let name = host.hasSuffix(suffix) ? String(host.dropLast(suffix.count)) : host
      try require(
        ["127.0.0.1", "[::1]", "localhost"].contains(name.lowercased())
          && host.utf8.allSatisfy { $0 < 0x80 }, "the host \(host) is admitted")
      try require(port == 80 || host.hasSuffix(suffix), "another port than the listener's")
      try require(!HostRule.admits(host, port: port + 1), "two ports at once")
    }
  }

  private static func checkNavigation(_ headers: HTTPHeaders) throws(Finding) {
    guard NavigationRule.judge(headers) == .navigation else { return }
    try require(!headers.contains("Origin"), "a page's own request is a navigation")
    for (name, only) in [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")] {
      try require(
        headers.all.allSatisfy { $0.name.lowercased() != name || $0.value == only },
        "a navigation with another \(name)")
    }
    var more = headers
    more.add("Purpose", "prefetch")
    try require(NavigationRule.judge(more) != .navigation, "a speculative one is a navigation")
    more = headers
    more.add("Origin", "null")
    try require(NavigationRule.judge(more) == .foreign, "an origin changes nothing")
  }

  private static func checkLanguage(_ values: [String]) throws(Finding) {
    let language = PageLanguage.preferred(in: values)
    try require(
      PageLanguage.preferred(in: [values.joined(separator: ",")]) == language,
      "lines are not a list of languages")
    try require(
      language == .english
        || values.contains { $0.lowercased().contains(language.rawValue.prefix(2)) },
      "a language that nobody named: \(language)")
    try require(
      PageLanguage.preferred(in: ["x;q=0"] + values) == language
        || values.joined().utf8.count > 100,
      "a refused language changes it")
  }
}
