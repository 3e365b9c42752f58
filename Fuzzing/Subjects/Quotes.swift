import Crypto
import TestPKI

@testable import TDXQuote

extension Subject {
  /// A quote's bytes from anybody: none that Intel has not signed is ever accepted.
  static let quote = Subject(
    name: "quote", longest: 6000, words: ["-----BEGIN CERTIFICATE-----", "MOCK_TDX_QUOTE_V1"],
    seeds: [SoundEvidence.shared.evidence.quote]
  ) { bytes throws(Finding) in
    if let quote = try? Quote(parsing: bytes) {
      try require(quote.pckChain.count <= bytes.count, "more of a chain than was sent")
    }
    let collateral = SoundEvidence.shared.evidence.collateralJSON
    for json in [collateral, bytes, nil] {
      let accepted = try? QuoteVerifier().verify(quote: bytes, collateral: json, now: 0)
      try require(accepted == nil, "accepted")
    }
    if let found = AttestReply.collateral(in: bytes) {
      try require(found.count <= bytes.count, "more collateral than was sent")
    }
  }

  /// Sound evidence with bytes changed: refused, or accepted and saying what it said before.
  ///
  /// What is accepted still may differ where nothing is signed: padding, spaces, text around
  /// certificates.
  static let evidence = Subject(name: "evidence", longest: 96, words: []) {
    bytes throws(Finding) in
    let sound = SoundEvidence.shared
    let half = bytes.count / 2
    var (quote, collateral) = (sound.evidence.quote, sound.evidence.collateralJSON)
    Damage.apply(bytes[..<half], to: &quote)
    Damage.apply(bytes[half...], to: &collateral)
    let verified = sound.verify(quote: quote, collateral: collateral)
    if quote == sound.evidence.quote, collateral == sound.evidence.collateralJSON {
      try require(verified == sound.verified && verified != nil, "the sound one is not accepted")
    }
    try require(
      verified == nil || verified == sound.verified, "accepted, and it says something else")
  }

  /// The texts that Intel signs, and a release's list of images, by our own JSON reader.
  static let intelDocuments = Subject(
    name: "intel-documents", longest: 3000,
    words: [
      #""id":"TDX""#, #""tcbLevels":["#, #""tcb":{"#, #""sgxtcbcomponents":["#, #""pcesvn":1"#,
      #""tdxModuleIdentities":[]"#, #""issueDate":"2026-01-01T00:00:00Z""#, #""profiles":{"#,
      #""role":"node""#, #""tag":""#, #"\u00e9"#,
    ],
    seeds: [TestPKI().tcbInfo.json, TestPKI().qeIdentity.json].map { Array($0.utf8) }
  ) { bytes throws(Finding) in
    let dates = try? SignedDates(reading: bytes)
    let tcbInfo = try? TCBInfo(parsing: bytes)
    let identity = try? QEIdentity(parsing: bytes)
    // Whoever reads more of a text has read its dates as well, and all of its syntax.
    if tcbInfo != nil || identity != nil {
      try require(isJSON(bytes), "taken, and no JSON")
    }
    if dates != nil { try require(isJSON(bytes), "dates of what is no JSON") }
    _ = try? Collateral(parsing: bytes)
    if let release = try? PublishedRelease(json: bytes) {
      try require(isJSON(bytes), "a release that is no JSON")
      for name in release.profileNames {
        try require(release.image(profile: name) != nil, "a profile without its image")
      }
    }
  }

  private static func isJSON(_ bytes: [UInt8]) -> Bool {
    do {
      var reader = try TDXQuote.JSONReader(bytes)
      try reader.skip()
      try reader.end()
      return true
    } catch {
      return false
    }
  }
}

/// What a platform of the tests' own PKI says; made once.
private struct SoundEvidence: Sendable {
  static let shared = SoundEvidence()

  let evidence: Evidence
  private let now: Int64
  private(set) var verified: VerifiedQuote?

  private init() {
    let pki = TestPKI()
    evidence = pki.evidence()
    now = pki.now
    verified = verify(quote: evidence.quote, collateral: evidence.collateralJSON)
  }

  func verify(quote: [UInt8], collateral: [UInt8]) -> VerifiedQuote? {
    guard let anchor = TrustAnchor(der: evidence.rootDER) else { return nil }
    return try? QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor)
      .verify(quote: quote, collateral: collateral, now: now)
  }
}
