import HTTP
import Testing

@testable import Callback

@Suite struct NavigationRuleTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let fields: [(HTTPFieldName, HTTPFieldValue)]
    let verdict: NavigationRule.Verdict

    init(_ verdict: NavigationRule.Verdict, _ fields: (HTTPFieldName, HTTPFieldValue)...) {
      self.fields = fields
      self.verdict = verdict
    }

    var testDescription: String {
      fields.map { "\($0.0.text): \($0.1.text)" }.joined(separator: ", ")
    }
  }

  @Test(arguments: [
    Row(.navigation),
    Row(.navigation, ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")),
    Row(
      .navigation, ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
      ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-User", "?1")),
    Row(.navigation, ("Sec-Fetch-Site", "none")),
    Row(.navigation, ("Sec-Purpose", "other")),
    Row(.foreign, ("Sec-Fetch-Mode", "cors")),
    Row(.foreign, ("Sec-Fetch-Mode", "no-cors")),
    Row(.foreign, ("Sec-Fetch-Mode", "same-origin")),
    Row(.foreign, ("Sec-Fetch-Mode", "websocket")),
    Row(.foreign, ("Sec-Fetch-Mode", "")),
    Row(.foreign, ("Sec-Fetch-Mode", "navigate, cors")),
    Row(.foreign, ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Mode", "cors")),
    Row(.foreign, ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")),
    Row(.foreign, ("Sec-Fetch-Dest", "image")),
    Row(.foreign, ("Sec-Fetch-Dest", "frame")),
    Row(.foreign, ("Sec-Fetch-Dest", "empty")),
    Row(.foreign, ("Sec-Fetch-Dest", "something-new")),
    Row(.foreign, ("Origin", "https://evil.example")),
    Row(.foreign, ("Origin", "null")),
    Row(.foreign, ("Origin", "http://127.0.0.1:17463")),
    Row(.foreign, ("Origin", "")),
    Row(.speculative, ("Sec-Purpose", "prefetch")),
    Row(.speculative, ("Sec-Purpose", "prefetch;prerender")),
    Row(.speculative, ("Sec-Purpose", "prefetch;anonymous-client-ip")),
    Row(.speculative, ("Purpose", "prefetch")),
    Row(.speculative, ("Purpose", "Prefetch")),
    Row(.speculative, ("X-Moz", "prefetch")),
    Row(.speculative, ("X-Purpose", "preview")),
    Row(.speculative, ("Sec-Purpose", "prefetch"), ("Sec-Fetch-Mode", "no-cors")),
    Row(.speculative, ("Purpose", "other"), ("Purpose", "prefetch")),
    Row(.speculativeNavigation, ("Sec-Purpose", "prefetch"), ("Sec-Fetch-Mode", "navigate")),
    Row(
      .speculativeNavigation, ("Sec-Purpose", "prefetch;prerender"),
      ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")),
  ]) func tellsANavigationFromTheRest(_ row: Row) {
    var headers = HTTPHeaders()
    for (name, value) in row.fields { headers.add(name, value) }
    #expect(NavigationRule.judge(headers) == row.verdict)
  }
}
