import TestPKI

@testable import TDXQuote

/// Steps 5, 8, 9, 11, 14, 16 and 17: collateral, TCB info, QE identity and what they say.
enum DocumentFlaws {
  private static let fields = [
    "pck_crl_issuer_chain", "root_ca_crl", "pck_crl", "tcb_info_issuer_chain", "tcb_info",
    "tcb_info_signature", "qe_identity_issuer_chain", "qe_identity", "qe_identity_signature",
  ]

  static let collateral: [Flaw] =
    fields.map { field in
      Flaw(.collateralMalformed, "no \(field)", evidence: { $0.collateral[field] = nil })
    }
    + fields.map { field in
      Flaw(.collateralMalformed, "\(field) is null", evidence: { $0.collateral[field] = "null" })
    }
    + [
      ("a byte of 256", "[1,256]"), ("a negative byte", "[-1]"), ("half a byte", "[0.5]"),
      ("a byte as text", "[\"1\"]"), ("odd digits", "\"abc\""), ("a prefix", "\"0x00\""),
      ("no digits", "\"zz\""), ("a number", "12"), ("an object", "{}"),
    ].map { name, value in
      Flaw(.collateralMalformed, name, evidence: { $0.collateral["pck_crl"] = value })
    }
    + [
      Flaw(
        .collateralMalformed, "an array for a text",
        evidence: { $0.collateral["tcb_info"] = "[123]" }),
      Flaw(
        .collateralMalformed, "an object for a text",
        evidence: { $0.collateral["qe_identity"] = "{\"id\":\"TD_QE\"}" }),
      Flaw(
        .collateralMalformed, "longer than 256 KiB",
        evidence: { $0.collateral["more"] = "\"\(String(repeating: "x", count: 262_144))\"" }),
    ]

  /// What is signed as it is, and read as far as it can be.
  private static func tcbText(
    _ failure: QuoteFailure, _ name: String, _ find: String, _ replacement: String
  ) -> Flaw {
    signed(failure, name, field: "tcb_info", find, replacement)
  }

  private static func identityText(
    _ failure: QuoteFailure, _ name: String, _ find: String, _ replacement: String
  ) -> Flaw {
    signed(failure, name, field: "qe_identity", find, replacement)
  }

  private static func signed(
    _ failure: QuoteFailure, _ name: String, field: String, _ find: String, _ replacement: String
  ) -> Flaw {
    Flaw(
      failure, "\(field): \(name)",
      evidence: { $0.resign(field) { text in text.replacingFirst(find, with: replacement) } })
  }

  static let tcbInfo: [Flaw] = [
    Flaw(
      .tcbInfoSignature, "a changed text",
      evidence: {
        $0.collateral["tcb_info"] = $0.collateral["tcb_info"]?.replacingFirst(
          "OutOfDate", with: "UpToDate")
      }),
    Flaw(
      .tcbInfoSignature, "white space",
      evidence: {
        $0.collateral["tcb_info"] = $0.collateral["tcb_info"]?.replacingFirst("{", with: "{ ")
      }),
    Flaw(
      .tcbInfoSignature, "63 bytes",
      evidence: {
        $0.collateral["tcb_info_signature"] = "\"" + String(repeating: "11", count: 63) + "\""
      }),
    Flaw(.tcbInfoSignature, "no bytes", evidence: { $0.collateral["tcb_info_signature"] = "[]" }),
    Flaw(
      .tcbInfoSignature, "of the QE identity",
      evidence: { $0.collateral["tcb_info_signature"] = $0.collateral["qe_identity_signature"] }),
    tcbText(.tcbInfoMalformed, "no JSON", "{", "["),
    Flaw(
      .tcbInfoMalformed, "more behind it", evidence: { $0.resign("tcb_info") { $0 + "x" } }),
    tcbText(.tcbInfoMalformed, "no issue date", "\"issueDate\"", "\"issuedate\""),
    tcbText(.tcbInfoMalformed, "no next update", "\"nextUpdate\"", "\"nextupdate\""),
    tcbText(.tcbInfoMalformed, "a date without its Z", "Z\",\"nextUpdate\"", "\",\"nextUpdate\""),
    tcbText(
      .tcbInfoMalformed, "a date with a fraction", "Z\",\"nextUpdate\"", ".0Z\",\"nextUpdate\""),
    tcbText(.tcbInfoMalformed, "version 2", "\"version\":3", "\"version\":2"),
    tcbText(.tcbInfoMalformed, "version 4", "\"version\":3", "\"version\":4"),
    tcbText(.tcbInfoMalformed, "version as text", "\"version\":3", "\"version\":\"3\""),
    tcbText(.tcbInfoMalformed, "version twice", "\"version\":3", "\"version\":3,\"version\":3"),
    tcbText(.tcbInfoMalformed, "no id", "\"id\":\"TDX\",", ""),
    tcbText(.tcbInfoMalformed, "tcbType 1", "\"tcbType\":0", "\"tcbType\":1"),
    tcbText(.tcbInfoMalformed, "no tcbType", "\"tcbType\":0,", ""),
    tcbText(.tcbInfoMalformed, "an FMSPC of 5 bytes", "102030405060", "1020304050"),
    tcbText(.tcbInfoMalformed, "a PCEID of 1 byte", "\"pceId\":\"0000\"", "\"pceId\":\"00\""),
    tcbText(.tcbInfoMalformed, "no module", "\"tdxModule\":", "\"module\":"),
    tcbText(.tcbInfoMalformed, "a short signer", "\"mrsigner\":\"00", "\"mrsigner\":\""),
    tcbText(.tcbInfoMalformed, "no mask", "\"attributesMask\"", "\"mask\""),
    tcbText(
      .tcbInfoMalformed, "identities of null", "\"tdxModuleIdentities\":[",
      "\"tdxModuleIdentities\":null,\"x\":["),
    tcbText(.tcbInfoMalformed, "an identity without a name", "\"id\":\"TDX_01\",", ""),
    tcbText(.tcbInfoMalformed, "an unknown status", "SWHardeningNeeded", "Hardened"),
    tcbText(.tcbInfoMalformed, "a module status of platforms", "UpToDate", "SWHardeningNeeded"),
    tcbText(.tcbInfoMalformed, "fifteen components", "{\"svn\":5},", ""),
    tcbText(.tcbInfoMalformed, "seventeen components", "{\"svn\":5},", "{\"svn\":5},{\"svn\":5},"),
    tcbText(.tcbInfoMalformed, "a component of 256", "{\"svn\":5}", "{\"svn\":256}"),
    tcbText(.tcbInfoMalformed, "no PCESVN", "\"pcesvn\":11,", ""),
    tcbText(.tcbInfoMalformed, "a PCESVN of 65536", "\"pcesvn\":11", "\"pcesvn\":65536"),
    tcbText(.tcbInfoMalformed, "no level date", "\"tcbDate\":\"2026-01-01T00:00:00Z\",", ""),
    tcbText(.tcbInfoMalformed, "a 30 February", "2026-01-01T", "2026-02-30T"),
    tcbText(.tcbInfoMalformed, "an advisory that is a number", "\"SA-8\"", "8"),
    Flaw(.tcbInfoMalformed, "no levels", recipe: { $0.tcbInfo.levels = [] }),
    Flaw(
      .tcbInfoMalformed, "a module without levels",
      recipe: { $0.tcbInfo.identities?[0].levels = [] }),
    Flaw(
      .tcbInfoMalformed, "nested too deep",
      evidence: {
        $0.resign("tcb_info") {
          String($0.dropLast()) + ",\"x\":" + String(repeating: "[", count: 40)
            + String(repeating: "]", count: 40) + "}"
        }
      }),
    Flaw(.tcbInfoNotCurrent, "a second before it", recipe: { $0.tcbInfo.issueDate = $0.now + 1 }),
    Flaw(.tcbInfoNotCurrent, "a second after it", recipe: { $0.tcbInfo.nextUpdate = $0.now - 1 }),
    Flaw(
      .tcbInfoNotCurrent, "dates count before the content",
      recipe: {
        $0.tcbInfo.nextUpdate = $0.now - 1
        $0.tcbInfo.version = 2
      }),
    Flaw(.tcbInfoMismatch, "of SGX", recipe: { $0.tcbInfo.id = "SGX" }),
    Flaw(
      .tcbInfoMalformed, "of SGX, and not whole",
      recipe: {
        $0.tcbInfo.id = "SGX"
        $0.tcbInfo.module = nil
      }),
    Flaw(.tcbInfoMismatch, "another FMSPC", recipe: { $0.tcbInfo.fmspc = "102030405061" }),
    Flaw(.tcbInfoMismatch, "another PCEID", recipe: { $0.tcbInfo.pceID = "0100" }),
  ]

  static let qeIdentity: [Flaw] = [
    Flaw(
      .qeIdentitySignature, "a changed text",
      evidence: {
        $0.collateral["qe_identity"] = $0.collateral["qe_identity"]?.replacingFirst(
          "OutOfDate", with: "UpToDate")
      }),
    Flaw(
      .qeIdentitySignature, "of the TCB info",
      evidence: { $0.collateral["qe_identity_signature"] = $0.collateral["tcb_info_signature"] }),
    identityText(.qeIdentityMalformed, "no JSON", "{", ""),
    identityText(.qeIdentityMalformed, "no dates", "\"issueDate\"", "\"x\""),
    identityText(.qeIdentityMalformed, "version 1", "\"version\":2", "\"version\":1"),
    identityText(.qeIdentityMalformed, "version 3", "\"version\":2", "\"version\":3"),
    identityText(.qeIdentityMalformed, "no version", "\"version\":2,", ""),
    identityText(.qeIdentityMalformed, "no id", "\"id\":\"TD_QE\",", ""),
    identityText(
      .qeIdentityMalformed, "MISCSELECT of 3 bytes", "\"miscselect\":\"00", "\"miscselect\":\""),
    identityText(.qeIdentityMalformed, "no mask", "\"miscselectMask\"", "\"x\""),
    identityText(
      .qeIdentityMalformed, "attributes of 15 bytes", "\"attributes\":\"11", "\"attributes\":\""),
    identityText(.qeIdentityMalformed, "no signer", "\"mrsigner\"", "\"x\""),
    identityText(
      .qeIdentityMalformed, "a product as text", "\"isvprodid\":2", "\"isvprodid\":\"2\""),
    identityText(.qeIdentityMalformed, "a status of platforms", "OutOfDate", "ConfigurationNeeded"),
    Flaw(.qeIdentityMalformed, "no levels", recipe: { $0.qeIdentity.levels = [] }),
    Flaw(
      .qeIdentityNotCurrent, "a second before it", recipe: { $0.qeIdentity.issueDate = $0.now + 1 }),
    Flaw(
      .qeIdentityNotCurrent, "a second after it", recipe: { $0.qeIdentity.nextUpdate = $0.now - 1 }),
    Flaw(.qeIdentityMismatch, "of SGX's enclave", recipe: { $0.qeIdentity.id = "QE" }),
    Flaw(.qeIdentityMismatch, "MISCSELECT, last byte", recipe: { $0.quote.qeMiscSelect[3] = 1 }),
    Flaw(.qeIdentityMismatch, "an attribute in the mask", recipe: { $0.quote.qeAttributes[1] = 1 }),
    Flaw(
      .qeIdentityMismatch, "an attribute that is missing", recipe: { $0.quote.qeAttributes[0] = 1 }),
    Flaw(
      .qeIdentityMismatch, "debug, whatever the mask",
      recipe: {
        $0.quote.qeAttributes[0] |= 2
        $0.qeIdentity.attributesMask = "F9FFFFFFFFFFFFFF0000000000000000"
      }),
    Flaw(.qeIdentityMismatch, "another signer", recipe: { $0.quote.qeMRSigner[31] ^= 1 }),
    Flaw(.qeIdentityMismatch, "another product", recipe: { $0.quote.qeProductID = 1 }),
    Flaw(.qeTCBLevelUnsupported, "below every level", recipe: { $0.quote.qeSVN = 3 }),
    Flaw(.tcbRevoked, "the enclave", recipe: { $0.quote.qeSVN = 4 }),
  ]

  private static func svn(_ bytes: UInt8...) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: 16 - bytes.count)
  }

  static let levels: [Flaw] = [
    Flaw(.tdxModuleMismatch, "an unknown version", recipe: { $0.quote.teeTCBSVN = svn(6, 2, 9) }),
    Flaw(.tdxModuleMismatch, "no identities", recipe: { $0.tcbInfo.identities = nil }),
    Flaw(.tdxModuleMismatch, "an empty list of identities", recipe: { $0.tcbInfo.identities = [] }),
    Flaw(.tdxModuleMismatch, "another signer", recipe: { $0.quote.mrSignerSEAM[0] = 1 }),
    Flaw(.tdxModuleMismatch, "attributes", recipe: { $0.quote.seamAttributes = 1 << 63 }),
    Flaw(
      .tdxModuleMismatch, "attributes that the identity asks for",
      recipe: {
        $0.quote.seamAttributes = 1
        $0.tcbInfo.identities?[0].fields = TCBInfoRecipe.moduleFields(
          attributes: "0100000000000000")
      }),
    Flaw(
      .tdxModuleMismatch, "version 0 against an identity's signer",
      recipe: {
        $0.quote.teeTCBSVN = svn(6, 0, 9)
        $0.tcbInfo.module = TCBInfoRecipe.moduleFields(mrSigner: String(repeating: "11", count: 48))
      }),
    Flaw(.tcbLevelUnsupported, "a component below", recipe: { $0.pckExtension?.components[7] = 4 }),
    Flaw(.tcbLevelUnsupported, "PCESVN below", recipe: { $0.pckExtension?.pceSVN = 10 }),
    Flaw(
      .tcbLevelUnsupported, "the TEE's SVN below", recipe: { $0.quote.teeTCBSVN = svn(6, 1, 2) }),
    Flaw(.tcbLevelUnsupported, "the module below", recipe: { $0.quote.teeTCBSVN = svn(0, 1, 9) }),
    Flaw(
      .tcbLevelUnsupported, "the last component of the TEE below",
      recipe: {
        $0.tcbInfo.levels = [.init(tdx: [Int](repeating: 0, count: 15) + [1], status: "UpToDate")]
      }),
    Flaw(
      .tcbLevelUnsupported, "for version 0 the first two count",
      recipe: {
        $0.quote.teeTCBSVN = svn(6, 0, 9)
        $0.tcbInfo.levels = [.init(tdx: [7, 0, 9], status: "UpToDate")]
      }),
    Flaw(.tcbRevoked, "the platform", recipe: { $0.quote.teeTCBSVN = svn(6, 1, 3) }),
    Flaw(.tcbRevoked, "the module", recipe: { $0.quote.teeTCBSVN = svn(1, 1, 9) }),
    Flaw(
      .tcbRevoked, "the module of now",
      recipe: {
        QuoteFlaws.version5()(&$0)
        $0.quote.teeTCBSVN2 = svn(2, 1, 9)
      }),
    Flaw(
      .tcbLevelUnsupported, "an unknown module of now",
      recipe: {
        QuoteFlaws.version5()(&$0)
        $0.quote.teeTCBSVN2 = svn(2, 2, 9)
      }),
    Flaw(
      .tcbLevelUnsupported, "nothing of now",
      recipe: {
        QuoteFlaws.version5()(&$0)
        $0.quote.teeTCBSVN2 = svn(0, 0, 0)
      }),
  ]
}

extension String {
  func replacingFirst(_ find: String, with replacement: String) -> String {
    guard let range = firstRange(of: find) else { preconditionFailure("no \(find) in the text") }
    return replacingCharacters(range, with: replacement)
  }

  private func replacingCharacters(_ range: Range<Index>, with replacement: String) -> String {
    String(self[..<range.lowerBound]) + replacement + String(self[range.upperBound...])
  }
}

extension Evidence {
  /// Changes a document and signs it again with the right key.
  mutating func resign(_ field: String, _ change: (String) -> String) {
    let quoted = collateral[field] ?? ""
    let text = quoted.dropFirst().dropLast().split(
      separator: "\\\"", omittingEmptySubsequences: false
    )
    .joined(separator: "\"")
    let changed = change(text)
    let signature = TestPKI.shared.tcbSigning.signRaw(Array(changed.utf8))
    collateral[field] =
      "\""
      + changed.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\\\"") + "\""
    collateral[field + "_signature"] = "[\(signature.map { String($0) }.joined(separator: ","))]"
  }
}
