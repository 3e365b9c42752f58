import HTTP
import MeroConsent

extension Subject {
  /// Return URLs: what both doors make of one query agrees, and with a reader of forms that does
  /// not know what a return is.
  static let returnURL = Subject(
    name: "return-url", longest: 1024,
    words: [
      "mero://return?", "http://127.0.0.1:17463/return/", "https://", "request_id=", "result=",
      "approved", "&", "#", "%", "///", "\u{FEFF}",
    ],
    seeds: [
      "mero://return?request_id=rq-1&result=approved",
      "http://127.0.0.1:17463/return/t?request_id=a%2Fb%20c+d&result=declined#request_id=other",
      "app:/?request_id=a&request_id=b",
      "https://Notes.EXAMPLE:443/1.2.0/?native-consent=1&request%5Fid=a",
    ].map { Array($0.utf8) }
  ) { bytes throws(Finding) in
    let url = try? ReturnURL(bytes: bytes)
    if let text = String(validating: bytes, as: UTF8.self) {
      try agree(url, try? ReturnURL(text), "as bytes and as a text")
      try checkWebURL(text)
    }
    guard let url else { return }
    try require(bytes.count <= ReturnURL.longest, "longer than the longest")
    try require(
      url.description == "ReturnURL(\(url.scheme ?? "-"))" && "\(url)" == url.description,
      "its description says more")
    try require(url.requestId?.isEmpty != true, "an empty id")
    try require(
      !url.contradictsItself || (url.requestId == nil && url.resultHint == nil),
      "a contradiction that says something")
    if let id = url.requestId {
      try require(!url.namesAnother(than: id), "another than itself")
      try require(url.namesAnother(than: id + "x"), "not another than another")
    }
    try checkQuery(of: url, bytes)
  }

  private static func checkQuery(of url: ReturnURL, _ bytes: [UInt8]) throws(Finding) {
    let beforeFragment = bytes.prefix { $0 != UInt8(ascii: "#") }
    let mark = beforeFragment.firstIndex(of: UInt8(ascii: "?")) ?? beforeFragment.endIndex
    guard let query = String(validating: beforeFragment[mark...].dropFirst(), as: UTF8.self) else {
      return
    }
    try agree(url, try? ReturnURL(path: "/", query: query), "as a URL and on the callback")
    let pairs = HTTP.FormQuery.parse(query) ?? []
    let ids = Set(pairs.filter { $0.name == "request_id" }.map { Array($0.value.utf8) })
    try require(ids.count < 2 || url.contradictsItself, "two ids and no contradiction")
    guard !url.contradictsItself else { return }
    try require(url.requestId.map { Array($0.utf8) } == ids.first, "another id than in the form")
    let rebuilt =
      "mero://return?" + (url.requestId.map { "request_id=\(PercentCoding.encode($0))&" } ?? "")
      + (url.resultHint.map { "result=\(PercentCoding.encode($0))" } ?? "")
    guard rebuilt.utf8.count <= ReturnURL.longest else { return }
    try agree(url, try? ReturnURL(rebuilt), "as it is and rebuilt")
  }

  private static func agree(
    _ left: ReturnURL?, _ right: ReturnURL?, _ how: String
  ) throws(Finding) {
    func parts(_ url: ReturnURL?) -> [[UInt8]?]? {
      url.map { url in
        [url.requestId, url.resultHint, "\(url.contradictsItself)"].map {
          $0.map { Array($0.utf8) }
        }
      }
    }
    try require(parts(left) == parts(right), "it differs \(how)")
  }

  /// An origin is a URL again, and its own origin: what is compared has one spelling.
  private static func checkWebURL(_ text: String) throws(Finding) {
    guard let url = WebURL(text) else { return }
    let again = WebURL(url.origin)
    try require(again?.origin == url.origin, "the origin of \(url.origin) is another")
    try require(again?.isLoopback == url.isLoopback, "loopback or not")
  }
}
