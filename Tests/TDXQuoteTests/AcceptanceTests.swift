import TestPKI
import Testing

@testable import TDXQuote

/// What is sound is accepted, and what is said of it is right.
@Suite struct AcceptanceTests {
  /// A sound variant, and what may be expected of it.
  struct Variant: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var recipe: @Sendable (inout TestPKI) -> Void = { _ in }
    var evidence: @Sendable (inout Evidence) -> Void = { _ in }

    init(
      _ name: String, recipe: @escaping @Sendable (inout TestPKI) -> Void = { _ in },
      evidence: @escaping @Sendable (inout Evidence) -> Void = { _ in }
    ) {
      testDescription = name
      self.recipe = recipe
      self.evidence = evidence
    }
  }

  @Test func tellsWhatTheQuoteSays() throws {
    let pki = TestPKI()
    let quote = try verify(pki)
    #expect(quote.status == .upToDate)
    #expect(quote.advisoryIDs == [])
    #expect(quote.measurements.mrtd == pki.quote.mrtd)
    #expect(
      [
        quote.measurements.rtmr0, quote.measurements.rtmr1, quote.measurements.rtmr2,
        quote.measurements.rtmr3,
      ] == pki.quote.rtmrs)
    #expect(quote.reportData == pki.quote.reportData)
    #expect(quote.fmspc == [0x10, 0x20, 0x30, 0x40, 0x50, 0x60])
    #expect(quote.reportVersion == .tdx10)
    #expect(quote.holdsUntil == pki.holdsUntil)
  }

  @Test func tellsTheReportOfVersion15() throws {
    var pki = TestPKI()
    pki.quote.version = 5
    pki.quote.isReport15 = true
    let quote = try verify(pki)
    #expect(quote.reportVersion == .tdx15)
    #expect(quote.reportData == pki.quote.reportData)
    #expect(quote.measurements.rtmr3 == pki.quote.rtmrs[3])
  }

  static let variants: [Variant] = [
    Variant("version 5 with a report 1.0", recipe: { $0.quote.version = 5 }),
    Variant("padding", recipe: { $0.quote.padding = [UInt8](repeating: 7, count: 3000) }),
    Variant(
      "just 64 KiB",
      evidence: { $0.quote += [UInt8](repeating: 0, count: 65_536 - $0.quote.count) }),
    Variant("no authentication data", recipe: { $0.quote.qeAuthenticationData = [] }),
    Variant(
      "much authentication data",
      recipe: { $0.quote.qeAuthenticationData = [UInt8](repeating: 1, count: 2000) }),
    Variant("no NUL behind the chain", recipe: { $0.quote.chainEnd = [] }),
    Variant("text behind the chain", recipe: { $0.quote.chainEnd = Array("\nnot read".utf8) }),
    Variant(
      "text around the blocks of the collateral",
      evidence: {
        let text = $0.collateral["tcb_info_issuer_chain"]?.dropFirst() ?? ""
        $0.collateral["tcb_info_issuer_chain"] = "\"of Intel:\\n" + text
      }),
    Variant(
      "carriage returns",
      evidence: {
        let parts = $0.collateral["pck_crl_issuer_chain"]?.split(separator: "\\n") ?? []
        $0.collateral["pck_crl_issuer_chain"] = parts.joined(separator: "\\r\\n")
      }),
    Variant(
      "upper-case digits in the collateral",
      evidence: { $0.collateral["pck_crl"] = $0.collateral["pck_crl"]?.uppercased() }),
    Variant(
      "bytes as numbers",
      evidence: {
        for field in ["root_ca_crl", "tcb_info_signature"] {
          let digits = Array(($0.collateral[field] ?? "").dropFirst().dropLast())
          let numbers = stride(from: 0, to: digits.count, by: 2).map { index in
            String(UInt8(String(digits[index...index + 1]), radix: 16) ?? 0)
          }
          $0.collateral[field] = "[\(numbers.joined(separator: " , "))]"
        }
      }),
    Variant(
      "fields that nobody knows",
      evidence: {
        $0.collateral["pck_certificate_chain"] = "\"nonsense\""
        $0.collateral["x"] = "[{\"y\":[1.5e3,true,null,\"\\u00e4\\ud83d\\ude00\"]}]"
        $0.resign("tcb_info") { $0.replacingFirst("{", with: "{\"new\":{\"a\":[-0.1E+2]},") }
        $0.resign("qe_identity") { $0.replacingFirst("{", with: "{\"new\":false,") }
      }),
    Variant(
      "hex of the other case",
      recipe: { $0.qeIdentity.mrSigner = $0.qeIdentity.mrSigner.lowercased() }),
    Variant(
      "the identity's name in lower case", recipe: { $0.tcbInfo.identities?[0].id = "tdx_01" }),
    Variant("a QE attribute outside the mask", recipe: { $0.quote.qeAttributes[0] |= 4 }),
    Variant(
      "a MISCSELECT outside the mask",
      recipe: {
        $0.quote.qeMiscSelect = [1, 0, 0, 0]
        $0.qeIdentity.miscSelectMask = "FEFFFFFF"
      }),
    Variant(
      "the processor CA",
      recipe: {
        $0.pckCA.name = "Intel SGX PCK Processor CA"
        $0.pck.issuerName = "Intel SGX PCK Processor CA"
        $0.pckCRL.issuerName = "Intel SGX PCK Processor CA"
      }),
    Variant(
      "the platform's serial in the root's list", recipe: { $0.rootCRL.revokedSerials = [4] }),
    Variant("the CA's serial in the platform's list", recipe: { $0.pckCRL.revokedSerials = [2] }),
    Variant(
      "others in the lists",
      recipe: {
        $0.rootCRL.revokedSerials = [7, 8]
        $0.pckCRL.revokedSerials = Array(100..<200)
        $0.pckCRL.reason = 1
      }),
    Variant(
      "another signer of the QE identity",
      recipe: {
        $0.qeSigning = $0.tcbSigning
        $0.qeSigning?.key = $0.keys.stranger
        $0.qeSigning?.serial = 5
      }),
    Variant(
      "a CA certificate of its own in the quote",
      recipe: {
        $0.quotePCKCA = $0.pckCA
        $0.quotePCKCA?.serial = 6
      }),
  ]

  @Test(arguments: variants) func accepts(_ variant: Variant) throws {
    var pki = TestPKI()
    variant.recipe(&pki)
    let quote = try verify(pki, spoiling: variant.evidence)
    #expect(quote.status == .upToDate)
  }

  @Test func acceptsEitherOfTheTwoSignatures() throws {
    // Of s and n-s both are good (specification, section 5).
    let order: [UInt8] =
      [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0] + [UInt8](repeating: 0xff, count: 8) + [
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25,
        0x51,
      ]
    let pki = TestPKI()
    var evidence = pki.evidence()
    var borrow = 0
    for index in (0..<32).reversed() {
      let difference = Int(order[index]) - Int(evidence.quote[668 + index]) - borrow
      borrow = difference < 0 ? 1 : 0
      evidence.quote[668 + index] = UInt8(difference & 0xff)
    }
    #expect(try verify(evidence, now: pki.now).status == .upToDate)
  }

  @Test func holdsFromTheFirstToTheLastSecondOfEverything() throws {
    let ends: [(inout TestPKI) -> Void] = [
      { $0.root.notAfter = $0.now }, { $0.root.notBefore = $0.now }, { $0.pckCA.notAfter = $0.now },
      { $0.pckCA.notBefore = $0.now }, { $0.tcbSigning.notAfter = $0.now },
      { $0.tcbSigning.notBefore = $0.now }, { $0.pck.notAfter = $0.now },
      { $0.pck.notBefore = $0.now }, { $0.rootCRL.nextUpdate = $0.now },
      { $0.rootCRL.thisUpdate = $0.now }, { $0.pckCRL.nextUpdate = $0.now },
      { $0.pckCRL.thisUpdate = $0.now }, { $0.tcbInfo.nextUpdate = $0.now },
      { $0.tcbInfo.issueDate = $0.now }, { $0.qeIdentity.nextUpdate = $0.now },
      { $0.qeIdentity.issueDate = $0.now },
    ]
    for (index, end) in ends.enumerated() {
      var pki = TestPKI()
      end(&pki)
      let quote = try verify(pki)
      // Those with an even index end now.
      #expect(quote.holdsUntil == (index.isMultiple(of: 2) ? pki.now : pki.holdsUntil))
    }
  }

  @Test func chainsMayOutliveTheYear2049() throws {
    var pki = TestPKI()
    pki.root.notAfter = 2_556_144_000  // 2051, as GeneralizedTime
    #expect(try verify(pki).status == .upToDate)
  }
}
