import FoundationEssentials

@testable import MeroConsent

extension Subject {
  /// What a node answers to a new request and to the question for its result: nothing that does
  /// not name the request, its page and its kind is ever believed.
  static let nodeAnswers = Subject(
    name: "node-answers", longest: 1024,
    words: [
      #"{"data":"#, #""requestId":"rq-1""#, #""status":"approved""#, #""outcome":{"kind":"#,
      #""orgCreated""#, #""orgId":"org-1""#, #""token":"t""#, #""apps":[]"#,
      #""url":"https://node.example/consent/rq-1""#, #""code":"7QF2-XK""#,
      #""expiresAt":"2030-01-01T00:00:00Z""#, #""expiresAt":1893456000000"#, #""pending""#,
    ],
    seeds: [
      #"{"data":{"requestId":"rq-1","status":"pending"}}"#,
      #"{"requestId":"rq-1","status":"declined","outcome":null}"#,
      #"{"requestId":"rq-1","status":"approved","outcome":{"kind":"orgCreated","orgId":"o"}}"#,
      #"{"requestId":"rq-1","status":"approved","outcome":{"kind":"inviteCreated","token":"t"}}"#,
      #"{"requestId":"rq-1","status":"approved","outcome":{"kind":"orgDeleted","apps":["a"]}}"#,
      #"{"requestId":"rq-1","url":"https://node.example/consent/rq-1?code=7QF2-XK","#
        + #""code":"7QF2-XK","expiresAt":"2030-01-01T00:00:00Z"}"#,
      #"{"requestId":"rq-1","url":"https://node.example.elsewhere.example/consent/rq-1","#
        + #""code":"7QF2-XK","expiresAt":"2030-01-01T00:00:00Z"}"#,
      #"{"requestId":"rq-1","url":"https://elsewhere.example/consent/rq-1","#
        + #""code":"7QF2-XK","expiresAt":1893456000000}"#,
    ].map { Array($0.utf8) }
  ) { bytes throws(Finding) in
    for kind in ConsentKind.allCases.map(Optional.some) + [nil] {
      guard let result = try? ResultCheck.check(bytes, requestId: "rq-1", kind: kind) else {
        continue
      }
      try require(result.requestId == "rq-1" && result.kind == kind, "about another request")
      try require(result.outcome == nil || result.status == .approved, "an outcome of no approval")
      if let kind, result.status == .approved {
        try require(result.outcome?.kind == kind.outcome, "an outcome of another kind")
      }
      try require(
        (try? ResultCheck.check(bytes, requestId: "rq-2", kind: kind)) == nil,
        "the same answer about two requests")
    }
    try checkStarted(bytes)
  }

  private static func checkStarted(_ bytes: [UInt8]) throws(Finding) {
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    guard let node = try? NodeAddress("https://node.example/node-7"),
      let answer = try? StartedCheck.check(
        bytes, kind: .createOrg, node: node, now: now, nodeDate: nil)
    else { return }
    let started = answer.started
    try require(isOnNode(started.url), "a page elsewhere")
    try require(StartedCheck.isUsable(requestId: started.requestId), "an unusable id")
    try require(started.expiresAt > now, "a request of the past")
    try require(
      answer.lifetime > .zero && answer.lifetime <= .seconds(StartedCheck.longestLifetime),
      "a lifetime of \(answer.lifetime)")
    try require((4...32).contains(started.code.unicodeScalars.count), "a code of another length")
  }

  /// Whether a URL's scheme and authority, which have no case, are the node's: cut out here, not
  /// as the library reads them.
  private static func isOnNode(_ url: String) -> Bool {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[1].isEmpty else { return false }
    let authority = parts[2].prefix { !"?#".contains($0) }.lowercased().split(separator: ":")
    return parts[0].lowercased() == "https:" && authority.first == "node.example"
      && authority.dropFirst().allSatisfy { Int($0) == 443 }
  }
}
