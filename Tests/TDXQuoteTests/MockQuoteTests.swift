import TestPKI
import Testing

@testable import TDXQuote

@Suite struct MockQuoteTests {
  private static let reportData = (0..<64).map { UInt8($0) }
  private static let mock =
    MockQuote.marker + reportData + [UInt8](repeating: 0, count: 256 - 81)

  private func accept(_ quote: [UInt8], _ expected: [UInt8] = reportData) throws {
    let host = try #require(LoopbackHost("127.0.0.1"))
    try MockQuote.accept(quote, expectedReportData: expected, from: host)
  }

  @Test func acceptsTheAnswerToTheQuestion() throws {
    try accept(Self.mock)
    try accept(Array(Self.mock.prefix(81)))
  }

  @Test(arguments: [17, 80]) func refusesAMockThatIsCutShort(_ length: Int) {
    #expect(throws: QuoteFailure.quoteMalformed) { try accept(Array(Self.mock.prefix(length))) }
  }

  @Test(arguments: [17, 48, 49, 80]) func refusesAnotherAnswer(_ offset: Int) {
    var other = Self.mock
    other[offset] ^= 1
    #expect(throws: QuoteFailure.reportDataMismatch) { try accept(other) }
    #expect(throws: QuoteFailure.reportDataMismatch) { try accept(Self.mock, []) }
  }

  @Test func aRealQuoteIsNoMock() {
    let pki = TestPKI()
    #expect(throws: QuoteFailure.quoteMalformed) {
      try accept(pki.evidence().quote, pki.quote.reportData)
    }
  }

  @Test func theVerifierRefusesEveryMock() {
    #expect(throws: QuoteFailure.mockQuote) {
      try QuoteVerifier().verify(quote: Self.mock, collateral: nil, now: 0)
    }
  }

  @Test(arguments: ["localhost", "127.0.0.1", "127.255.0.9", "::1", "[::1]"])
  func loopbackHostsAreOfThisMachine(_ host: String) { #expect(LoopbackHost(host) != nil) }

  @Test(arguments: [
    "", "example.org", "localhost.example.org", "127.0.0.1.example.org", "128.0.0.1", "127.0.0",
    "127.0.0.256", "127.0.0.01", "0177.0.0.1", "127.1", "2130706433", "::2", "[::1",
    "::ffff:127.0.0.1",
    "127.0.0.1:80", "127.0.0.-1", "127.0.0.1 ", "LOCALHOST.", "0.0.0.0", "127..0.1",
  ])
  func otherHostsAreNot(_ host: String) { #expect(LoopbackHost(host) == nil) }
}
