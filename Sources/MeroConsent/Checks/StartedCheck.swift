package import FoundationEssentials

/// What a node's answer to a new request has to be before anybody is shown its page.
package enum StartedCheck {
  /// Characters (Unicode scalars) of a confirmation code.
  private static let codeLengths = 4...32
  /// The longest that a request is waited for.
  static let longestLifetime: TimeInterval = 24 * 3600
  /// Seconds before the end by the node's `Date` in which the node's own end may be here already:
  /// a `Date` has whole seconds, and half a second is for an answer on its way.
  package static let lastMoment: TimeInterval = 1.5
  /// Bytes of a page's address: a list shows two hundred of them at once.
  static let longestPage = 8192
  /// Bytes of the longest id, code and address together.
  package static let longestAnswer =
    RequestCheck.longestItem + codeLengths.upperBound * 4 + longestPage

  /// - Parameters:
  ///   - now: this machine's clock, for a node that does not tell its own.
  ///   - nodeDate: the answer's `Date`.
  /// - Throws: `NODE_ERROR` naming what cannot be read; `CONSENT_PAGE_NOT_TRUSTED`;
  ///   `CONSENT_CODE_MISMATCH`.
  static func check(
    _ body: [UInt8], kind: ConsentKind, node: NodeAddress, now: Date, nodeDate: Date?
  ) throws(ConsentError) -> MeroClient.Started {
    let answer = try AnswerJSON.decode(StartedAnswer.self, from: body)
    guard isUsable(requestId: answer.requestId) else {
      throw .nodeError("The node's answer has an empty or unusable “requestId”.")
    }
    let lifetime = answer.expiresAt.date.timeIntervalSince(nodeDate ?? now)
    guard lifetime > 0 else {
      throw .nodeError("The node's answer has an “expiresAt” that is past already.")
    }
    let started = ConsentStarted(
      requestId: answer.requestId, url: answer.url, code: answer.code,
      expiresAt: answer.expiresAt.date, kind: kind)
    try check(started, node: node)
    let given = min(lifetime, longestLifetime)
    return MeroClient.Started(
      started: started, lifetime: .seconds(given), lifetimeCut: lifetime > longestLifetime,
      expiresAtByNode: answer.expiresAt.date.addingTimeInterval(given - lifetime),
      lifetimeIsByNode: nodeDate != nil)
  }

  /// A request that an app started itself and hands over.
  static func checkOwn(_ started: ConsentStarted, node: NodeAddress) throws(ConsentError) {
    guard isUsable(requestId: started.requestId) else {
      throw .requestInvalid("requestId", "is empty or cannot be used")
    }
    try check(started, node: node)
  }

  /// The page is the node's own and this request's; the code is the page's.
  static func check(_ started: ConsentStarted, node: NodeAddress) throws(ConsentError) {
    guard started.url.utf8.count <= longestPage,
      let page = WebURL(started.url), page.isPrivate, !page.hasUserInfo,
      page.origin == node.origin, names(started.requestId, page)
    else { throw ConsentError(.pageNotTrusted) }
    let codes = try pageCodes(page)
    guard isWellFormed(code: started.code), codes.allSatisfy({ sameBytes($0, started.code) }) else {
      throw ConsentError(.codeMismatch)
    }
  }

  /// Not empty, not longer than any item may be, and no dot segment: it goes into a path.
  package static func isUsable(requestId: String) -> Bool {
    !["", ".", ".."].contains(requestId) && requestId.utf8.count <= RequestCheck.longestItem
  }

  /// A whole segment of the path, or a whole value of the query, is the id.
  private static func names(_ requestId: String, _ page: WebURL) -> Bool {
    let segments = page.path.utf8.split(separator: UInt8(ascii: "/"))
    let inPath = segments.contains { segment in
      (try? FormQuery.decoded(segment, plusIsSpace: false)).map { sameBytes($0, requestId) } == true
    }
    if inPath { return true }
    guard let pairs = try? FormQuery.pairs(in: Array((page.query ?? "").utf8)) else { return false }
    return pairs.contains { sameBytes($0.value, requestId) }
  }

  /// Each `code` in the page's query and fragment.
  private static func pageCodes(_ page: WebURL) throws(ConsentError) -> [String] {
    var codes: [String] = []
    for part in [page.query, page.fragment] {
      do {
        let pairs = try FormQuery.pairs(in: Array((part ?? "").utf8))
        codes += pairs.filter { sameBytes($0.name, "code") }.map(\.value)
      } catch {
        throw ConsentError(.pageNotTrusted)
      }
    }
    return codes
  }

  /// Something that a person can read and compare: no controls, no marks that turn or hide text,
  /// no blanks at its ends.
  private static func isWellFormed(code: String) -> Bool {
    let scalars = code.unicodeScalars
    guard codeLengths.contains(scalars.count), scalars.first != " ", scalars.last != " " else {
      return false
    }
    return scalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation,
        .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
        .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
        true
      default: scalar == " "
      }
    }
  }
}
