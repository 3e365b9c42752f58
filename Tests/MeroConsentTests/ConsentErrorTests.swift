import MeroConsent
import Testing

@Suite struct ConsentErrorTests {
  /// The design's tables, written out: codes and statuses are protocol.
  static let statuses: [(String, Int)] = [
    ("CONSENT_REQUEST_INVALID", 422), ("CONSENT_RETURN_TO_NOT_ALLOWED", 422),
    ("RETURN_URL_MALFORMED", 422), ("CONSENT_REQUEST_MISMATCH", 409),
    ("CONSENT_NOT_DECIDED", 409), ("CONSENT_REPLACED", 410), ("CONSENT_EXPIRED", 410),
    ("CONSENT_CANCELLED", 410), ("CONSENT_CODE_MISMATCH", 502),
    ("CONSENT_PAGE_NOT_TRUSTED", 502), ("CONSENT_RESULT_INVALID", 502),
    ("NODE_UNTRUSTED", 502), ("NODE_ERROR", 502), ("NODE_UNREACHABLE", 504),
    ("CONFIGURATION_INVALID", 503), ("STATE_UNAVAILABLE", 503), ("SESSION_EXPIRED", 403),
    ("BROWSER_UNAVAILABLE", 503),
  ]

  @Test(arguments: statuses)
  func hasTheStatusOfTheDesign(code: String, status: Int) throws {
    #expect(try #require(ConsentError.Code(rawValue: code)).httpStatus == status)
  }

  @Test func hasNoCodeThatTheDesignHasNot() {
    #expect(Set(ConsentError.Code.allCases.map(\.rawValue)) == Set(Self.statuses.map(\.0)))
  }

  @Test(arguments: ConsentError.Code.allCases)
  func saysWhatToDoNext(code: ConsentError.Code) {
    let error = ConsentError(code)
    #expect(error.advice.count > 20)
    #expect(error.advice.hasSuffix("."))
    #expect(!code.title.isEmpty)
    #expect("\(error)".hasPrefix(code.rawValue))
  }

  @Test func isEqualByCodeAlone() {
    #expect(ConsentError(.nodeError, nodeStatus: 500) == ConsentError(.nodeError, nodeStatus: 502))
    #expect(ConsentError(.replaced) != ConsentError(.expired))
  }

  @Test(arguments: [
    ("teams[2].role", "teams[2].role"), ("a\nb", "?"), ("", ""), ("\u{202e}x", "?"),
    (String(repeating: "x", count: 48), String(repeating: "x", count: 48)),
    (String(repeating: "x", count: 49), "?"),
  ])
  func repeatsOnlyFieldNamesThatLookLikeNames(name: String, shown: String) {
    #expect(ConsentError.requestInvalid(name, "is missing").field == shown)
  }
}
