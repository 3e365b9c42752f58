import FoundationEssentials
import MeroConsent
import TDXQuote
import TestPKI
import Testing

/// What an auditor is told of a quote, and what a release's file comes to.
@Suite struct QuoteAuditTests {
  private let pki = TestPKI()

  private func audit(_ evidence: Evidence, after seconds: Int64 = 0) throws -> QuoteAudit {
    let anchor = try #require(TrustAnchor(der: evidence.rootDER))
    return QuoteAudit(
      quote: evidence.quote, collateral: evidence.collateralJSON,
      at: Date(timeIntervalSince1970: Double(pki.now + seconds)),
      verifier: QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor))
  }

  private func json(_ audit: QuoteAudit) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(audit), as: UTF8.self)
  }

  @Test func tellsAVerifiedQuote() throws {
    let audit = try audit(pki.evidence())
    #expect(audit.isVerified)
    #expect(
      audit.lines.map(\.name) == [
        "verdict", "status", "advisories", "mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3",
        "report data", "platform", "TD report", "judged at", "holds until",
      ])
    #expect(audit.lines.first { $0.name == "status" }?.value == "UpToDate")
    #expect(audit.lines.first { $0.name == "platform" }?.value == "102030405060")
    let text = try json(audit)
    #expect(text.contains(#""ok":true"#) && text.contains(#""status":"UpToDate""#))
    #expect(text.contains(#""advisoryIds":[]"#) && text.contains(#""tdReport":"1.0""#))
    #expect(text.contains(#""rtmr3":"a3a3a3"#))
  }

  @Test func tellsTheStepThatFailed() throws {
    var evidence = pki.evidence()
    evidence.quote[28] ^= 1
    let audit = try audit(evidence)
    #expect(!audit.isVerified)
    #expect(audit.lines.map(\.name) == ["verdict", "failure", "step", "meaning", "judged at"])
    #expect(audit.lines[1].value == "quote-signature")
    #expect(audit.lines[2].value == "15")
    let text = try json(audit)
    #expect(text.contains(#""failure":"quote-signature""#) && text.contains(#""ok":false"#))
  }

  @Test func judgesAtTheTimeThatIsAsked() throws {
    let lastSecond = pki.holdsUntil - pki.now
    #expect(try audit(pki.evidence(), after: lastSecond).isVerified)
    #expect(
      try audit(pki.evidence(), after: lastSecond + 1).verdict == .refused(.pckCRLNotCurrent))
  }

  @Test func trustsIntelAloneByDefault() {
    let evidence = pki.evidence()
    let audit = QuoteAudit(
      quote: evidence.quote, collateral: evidence.collateralJSON,
      at: Date(timeIntervalSince1970: Double(pki.now)))
    #expect(audit.verdict == .refused(.rootCRLInvalid))
  }

  // MARK: Releases

  private static func release(role: String = "node") -> [UInt8] {
    let fields = ["mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3"].enumerated()
      .map { "\"\($1)\":\"\(String(repeating: "0\($0)", count: 48))\"" }
      .joined(separator: ",")
    return Array(
      #"{"role":"\#(role)","tag":"9.8.7","profiles":{"locked-read-only":{\#(fields)},"debug":{\#(fields)}}}"#
        .utf8)
  }

  @Test func aReleaseBecomesMeasurements() throws {
    let image = try NodeMeasurements(release: Self.release())
    #expect(image.name == "9.8.7 locked-read-only")
    #expect(image.rtmr3 == String(repeating: "04", count: 48))
    #expect(try NodeMeasurements(release: Self.release(), profile: "debug").name == "9.8.7 debug")
  }

  @Test func aFileThatIsNoReleaseIsRefusedInWords() {
    let cases: [([UInt8], String, String)] = [
      ([], "locked-read-only", "published-mrtds.json"),
      (Self.release(role: "kms"), "locked-read-only", "something else than a node"),
      (Self.release(), "locked", "debug, locked-read-only"),
    ]
    for (file, profile, words) in cases {
      do throws(ConsentError) {
        _ = try NodeMeasurements(release: file, profile: profile)
        Issue.record("accepted")
      } catch {
        #expect(error.code == .requestInvalid)
        #expect(error.advice.contains(words), "\(error.advice)")
      }
    }
  }
}
