import Crypto
import FoundationEssentials
import Glibc
import TestPKI
import Testing

@testable import TDXQuote

/// Whatever a peer sends ends in a typed error, and soon.
@Suite(.timeLimit(.minutes(5))) struct HostileInputTests {
  /// Far more than any refusal takes, also on a busy machine and without optimization.
  private static let patience = Duration.seconds(60)

  private static func evidence(report15: Bool) -> Evidence {
    var pki = TestPKI()
    pki.quote.version = report15 ? 5 : 4
    pki.quote.isReport15 = report15
    return pki.evidence()
  }

  private static let now = TestPKI().now

  @Test(arguments: [false, true]) func refusesAQuoteCutAnywhere(_ report15: Bool) throws {
    let evidence = Self.evidence(report15: report15)
    for length in 0..<evidence.quote.count {
      #expect(throws: QuoteFailure.quoteMalformed) {
        try Quote(parsing: Array(evidence.quote.prefix(length)))
      }
    }
    #expect(throws: Never.self) { try Quote(parsing: evidence.quote) }
  }

  /// Where the sizes stand in a version 4 quote, and how many bytes each has.
  static let sizeFields = [(632, 4), (766, 4), (1218, 2), (1254, 4)]

  @Test(arguments: sizeFields) func refusesEveryOtherSize(offset: Int, width: Int) throws {
    let quote = Self.evidence(report15: false).quote
    let right = quote[offset..<offset + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    let wrong: [UInt64] = [
      0, 1, right - 1, right + 1, UInt64(quote.count), 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000,
      0xffff_ffff, 0xffff_fff0,
    ]
    for size in wrong where size != right && size < 1 << UInt64(8 * width) {
      var changed = quote
      for index in 0..<width { changed[offset + index] = UInt8(size >> (8 * UInt64(index)) & 0xff) }
      #expect(throws: QuoteFailure.self, "\(size)") { try Quote(parsing: changed) }
    }
  }

  /// A bit of every few bytes, so that each section has some; all verdicts are refusals, but for
  /// text that nobody reads.
  @Test(arguments: 0..<4) func acceptsNoFlippedBitOfAQuote(_ phase: Int) throws {
    let evidence = Self.evidence(report15: true)
    let anchor = try #require(TrustAnchor(der: evidence.rootDER))
    let verifier = QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor)
    let collateral = evidence.collateralJSON
    let pem = String(decoding: evidence.quote, as: UTF8.self)
    #expect(pem.contains("-----END CERTIFICATE-----"))
    for index in stride(from: phase * 7, to: evidence.quote.count, by: 28) {
      var quote = evidence.quote
      quote[index] ^= 1 << UInt8((index / 7) & 7)
      let verdict = try? verifier.verify(quote: quote, collateral: collateral, now: Self.now)
      if verdict != nil {
        // A newline between the blocks, or the NUL behind them.
        #expect([0x0a, 0x00].contains(evidence.quote[index]), "at \(index)")
      }
    }
  }

  @Test func acceptsNoFlippedBitOfACertificateOrList() throws {
    let evidence = Self.evidence(report15: false)
    let issuer = try RootIssuer(of: evidence)
    let store = CertificateStore(root: issuer.root)
    let certificate = evidence.chains[0][0]
    for bit in stride(from: 0, to: certificate.count * 8, by: 5) {
      var changed = certificate
      changed[bit / 8] ^= 1 << UInt8(bit & 7)
      guard let parsed = X509Certificate(der: changed) else { continue }
      let accepted = store.issued(parsed)
      #expect(!accepted, "bit \(bit)")
    }
    let list = evidence.lists[0]
    for bit in 0..<list.count * 8 {
      var changed = list
      changed[bit / 8] ^= 1 << UInt8(bit & 7)
      let accepted = CRL(der: changed, issuer: issuer.root, key: issuer.key) != nil
      #expect(!accepted, "bit \(bit)")
    }
  }

  @Test(arguments: ["tcb_info", "qe_identity"])
  func acceptsNoFlippedBitOfADocument(_ field: String) throws {
    let evidence = Self.evidence(report15: false)
    let text = try #require(evidence.collateral[field])
    let signatureField = field + "_signature"
    let expected: QuoteFailure = field == "tcb_info" ? .tcbInfoSignature : .qeIdentitySignature
    let signature = try #require(evidence.collateral[signatureField])
    for index in stride(from: 1, to: signature.count - 1, by: 9) {
      var changed = evidence
      var digits = Array(signature.utf8)
      digits[index] = digits[index] == 0x30 ? 0x31 : 0x30
      changed.collateral[signatureField] = String(decoding: digits, as: UTF8.self)
      #expect(throws: expected) { try verify(changed, now: Self.now) }
    }
    // Digits and letters inside of the text; quotes and backslashes would change what JSON is.
    for index in stride(from: 2, to: text.utf8.count - 1, by: 97) {
      var characters = Array(text.utf8)
      guard (0x30...0x39).contains(characters[index]) else { continue }
      characters[index] ^= 1
      var changed = evidence
      changed.collateral[field] = String(decoding: characters, as: UTF8.self)
      #expect(throws: expected) { try verify(changed, now: Self.now) }
    }
  }

  @Test func refusesCollateralCutAnywhere() throws {
    let evidence = Self.evidence(report15: false)
    let json = evidence.collateralJSON
    for length in stride(from: 0, to: json.count, by: 37) {
      #expect(throws: QuoteFailure.collateralMalformed) {
        try Collateral(parsing: Array(json.prefix(length)))
      }
    }
    #expect(throws: QuoteFailure.collateralMalformed) {
      try Collateral(parsing: Array(json.dropLast()))
    }
  }

  @Test func refusesEveryBombSoon() throws {
    let anchor = try #require(TrustAnchor(der: Self.evidence(report15: false).rootDER))
    let verifier = QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor)
    for bomb in HostileEvidence.all() {
      let took = ContinuousClock().measure {
        #expect(throws: QuoteFailure.self, "\(bomb.name)") {
          try verifier.verify(quote: bomb.quote, collateral: bomb.collateral, now: Self.now)
        }
      }
      #expect(took < Self.patience, "\(bomb.name)")
    }
  }

  /// The program measures itself, since others run in this process.
  @Test func refusesEveryBombWithinAMebibyte() throws {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let directory = tests.split(separator: "/").dropLast().joined(separator: "/")
    let program = "/\(directory)/quote-bench"
    try #require(FileManager.default.isExecutableFile(atPath: program))
    let output = try #require(popen("'\(program)' memory", "r"))
    var line = [CChar](repeating: 0, count: 500)
    var text = ""
    while fgets(&line, CInt(line.count), output) != nil {
      text += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    #expect(pclose(output) == 0, "\(text)")
    #expect(text.contains("hostile inputs"))
  }

  @Test(arguments: HostileEvidence.derBombs.indices)
  func refusesADERBombInEachPlace(_ index: Int) throws {
    let (name, bomb) = HostileEvidence.derBombs[index]
    let took = try ContinuousClock().measure {
      let isCertificate = X509Certificate(der: bomb) != nil
      #expect(!isCertificate, "\(name)")
      let evidence = Self.evidence(report15: false)
      let issuer = try RootIssuer(of: evidence)
      let isList = CRL(der: bomb, issuer: issuer.root, key: issuer.key) != nil
      #expect(!isList, "\(name)")
      var pki = TestPKI()
      pki.pck.extensions.append(.init("1.2.840.113741.1.13.1", critical: false, bomb))
      pki.pckExtension = nil
      #expect(throws: QuoteFailure.pckExtension, "\(name)") { try verify(pki) }
    }
    #expect(took < Self.patience, "\(name)")
  }

  @Test func refusesBytesThatAreNoQuote() {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    for length in [1, 47, 48, 100, 632, 1300, 5000, 65_536, 65_537, 1_000_000] {
      let bytes = (0..<length).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(state >> 56)
      }
      #expect(throws: QuoteFailure.self) {
        try QuoteVerifier().verify(quote: bytes, collateral: bytes, now: Self.now)
      }
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 4_102_444_800, Int64.max])
  func anyClockIsOnlyAClock(_ now: Int64) {
    #expect(throws: QuoteFailure.rootCRLNotCurrent) { try verify(TestPKI(), at: now) }
  }
}
