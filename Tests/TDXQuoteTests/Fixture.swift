import Crypto
import TestPKI
import Testing

@testable import TDXQuote

/// Judges what a test's own PKI has signed, by its own root.
func verify(
  _ pki: TestPKI, at now: Int64? = nil, spoiling: (inout Evidence) -> Void = { _ in }
) throws -> VerifiedQuote {
  var evidence = pki.evidence()
  spoiling(&evidence)
  return try verify(evidence, now: now ?? pki.now)
}

func verify(_ evidence: Evidence, now: Int64) throws -> VerifiedQuote {
  let anchor = try #require(TrustAnchor(der: evidence.rootDER))
  return try QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor)
    .verify(quote: evidence.quote, collateral: evidence.collateralJSON, now: now)
}

/// One thing that is wrong, and the code that it is refused with.
struct Flaw: Sendable, CustomTestStringConvertible {
  let name: String
  let failure: QuoteFailure
  /// Against the PKI's own time.
  var time: Int64 = 0
  var recipe: @Sendable (inout TestPKI) -> Void = { _ in }
  var evidence: @Sendable (inout Evidence) -> Void = { _ in }

  var testDescription: String { "\(failure.rawValue): \(name)" }

  init(
    _ failure: QuoteFailure, _ name: String, time: Int64 = 0,
    recipe: @escaping @Sendable (inout TestPKI) -> Void = { _ in },
    evidence: @escaping @Sendable (inout Evidence) -> Void = { _ in }
  ) {
    self.name = name
    self.failure = failure
    self.time = time
    self.recipe = recipe
    self.evidence = evidence
  }

  func expectRefusal() {
    var pki = TestPKI()
    recipe(&pki)
    var evidence = pki.evidence()
    self.evidence(&evidence)
    #expect(throws: failure) { try verify(evidence, now: pki.now + time) }
  }
}

/// The root of some evidence, as the issuer of lists and certificates.
struct RootIssuer: ~Copyable {
  let root: X509Certificate
  let key: ECDSAP256.PublicKey

  init(of evidence: Evidence) throws {
    guard let root = X509Certificate(der: evidence.rootDER), let key = root.publicKey() else {
      throw QuoteFailure.rootCRLInvalid
    }
    self.root = root
    self.key = key
  }
}
