import Crypto
import FoundationEssentials
import TestPKI
import Testing

@testable import TDXQuote

/// No root but Intel's is accepted in production.
@Suite struct TrustAnchorTests {
  @Test func theProductionAnchorIsIntelsRoot() {
    let anchor = TrustAnchor.intelSGXRoot
    #expect(
      Hex.encode(SHA256.hash(anchor.der))
        == "44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3")
    #expect(anchor.isSound)
    #expect(anchor.certificate.commonName == "Intel SGX Root CA")
    #expect(anchor.certificate.notAfter == 2_524_607_999)  // 2049-12-31T23:59:59Z
  }

  @Test func productionRefusesWhatAnotherRootSigned() throws {
    let pki = TestPKI()
    let evidence = pki.evidence()
    // Sound in every way, but for the root.
    #expect(try verify(evidence, now: pki.now).status == .upToDate)
    #expect(throws: QuoteFailure.rootCRLInvalid) {
      try QuoteVerifier().verify(
        quote: evidence.quote, collateral: evidence.collateralJSON, now: pki.now)
    }
  }

  @Test func theRightNameIsNotTheRightRoot() throws {
    var pki = TestPKI()
    let evidence = pki.evidence()
    pki.root.serial = 99
    let other = try #require(TrustAnchor(der: pki.root.der()))
    // The same key and the same name, in another certificate: its lists still verify.
    #expect(throws: QuoteFailure.pckCRLChainInvalid) {
      try QuoteVerifier(trustingInsteadOfIntelInTestsOnly: other)
        .verify(quote: evidence.quote, collateral: evidence.collateralJSON, now: pki.now)
    }
  }

  @Test(
    arguments: [
      { $0.isCA = false }, { $0.keyUsage = 0b0000_0100 }, { $0.keyUsage = nil }, { $0.version = 0 },
      { $0.issuerKey = TestPKI.shared.stranger }, { $0.issuerName = "Another" },
      { $0.extensions.append(.init("1.2.3.4", critical: true, [5, 0])) },
    ] as [@Sendable (inout CertificateRecipe) -> Void])
  func anAnchorThatIsNoRootCarriesNoChain(
    _ spoil: @Sendable (inout CertificateRecipe) -> Void
  ) throws {
    var pki = TestPKI()
    spoil(&pki.root)
    let anchor = try #require(TrustAnchor(der: pki.root.der()))
    #expect(!anchor.isSound)
  }

  /// The entry point that replaces the anchor may be named by tests and development tools alone.
  @Test func nothingInTheProductReplacesTheAnchor() throws {
    let entryPoint = "trustingInsteadOfIntelInTestsOnly"
    let root = try #require(
      #filePath.firstRange(of: "/Tests/TDXQuoteTests/").map { String(#filePath[..<$0.lowerBound]) })
    let sources = root + "/Sources"
    let names = try FileManager.default.subpathsOfDirectory(atPath: sources)
    var users: [String] = []
    for name in names where name.hasSuffix(".swift") {
      let data = try #require(FileManager.default.contents(atPath: sources + "/" + name))
      if Array(data).firstRange(of: Array(entryPoint.utf8)) != nil { users.append(name) }
    }
    #expect(users.sorted() == ["TDXQuote/QuoteVerifier.swift", "quote-cases/CaseRunner.swift"])
  }
}
