import TestPKI

@testable import TDXQuote

/// Steps 1 to 5, and 12 to 18: what can be wrong with a quote itself.
enum QuoteFlaws {
  static func put(_ offset: Int, _ bytes: [UInt8]) -> @Sendable (inout Evidence) -> Void {
    { $0.quote.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
  }

  static func version5(_ evidence15: Bool = true) -> @Sendable (inout TestPKI) -> Void {
    {
      $0.quote.version = 5
      $0.quote.isReport15 = evidence15
    }
  }

  static let layout: [Flaw] = [
    Flaw(.mockQuote, "the marker alone", evidence: { $0.quote = Array("MOCK_TDX_QUOTE_V1".utf8) }),
    Flaw(
      .mockQuote, "a whole mock with broken collateral",
      evidence: {
        $0.quote = Array("MOCK_TDX_QUOTE_V1".utf8) + [UInt8](repeating: 0, count: 239)
        $0.collateral = [:]
      }),
    Flaw(.quoteMalformed, "no byte", evidence: { $0.quote = [] }),
    Flaw(
      .quoteMalformed, "a header less one byte",
      evidence: { $0.quote.removeLast($0.quote.count - 47) }),
    Flaw(
      .quoteMalformed, "longer than 64 KiB",
      evidence: { $0.quote += [UInt8](repeating: 0, count: 65_537 - $0.quote.count) }),
    Flaw(.quoteVersion, "version 3", evidence: put(0, [3, 0])),
    Flaw(.quoteVersion, "version 6", evidence: put(0, [6, 0])),
    Flaw(.quoteVersion, "version 4 in the other byte", evidence: put(0, [0, 4])),
    Flaw(.quoteTEEType, "SGX", evidence: put(4, [0, 0, 0, 0])),
    Flaw(.quoteTEEType, "a high bit", evidence: put(4, [0x81, 0, 0, 0x80])),
    Flaw(.quoteKeyType, "P-384", evidence: put(2, [3, 0])),
    Flaw(.quoteVendor, "another vendor", evidence: put(12, [0x92])),
    Flaw(.quoteTEEType, "and the key type and the vendor", evidence: put(2, [3, 0, 0, 0, 0, 0])),
    Flaw(.quoteKeyType, "and the vendor", evidence: put(2, [3, 0, 0x81, 0, 0, 0, 0, 0, 0, 0, 0])),
    Flaw(.quoteBodyType, "SGX in version 5", recipe: version5(), evidence: put(48, [1, 0])),
    Flaw(.quoteBodyType, "the extended report", recipe: version5(), evidence: put(48, [4, 0])),
    Flaw(
      .quoteBodyType, "1.5 with the size of 1.0", recipe: version5(),
      evidence: put(50, [0x48, 2, 0, 0])),
    Flaw(
      .quoteBodyType, "1.0 with the size of 1.5", recipe: version5(false),
      evidence: put(50, [0x88, 2, 0, 0])),
    Flaw(
      .quoteMalformed, "version 5 cut in its descriptor", recipe: version5(),
      evidence: { $0.quote.removeLast($0.quote.count - 53) }),
    Flaw(.quoteMalformed, "signature data of no bytes", evidence: put(632, [0, 0, 0, 0])),
    Flaw(.quoteMalformed, "signature data beyond the end", evidence: put(632, [0, 0, 1, 0])),
    Flaw(.quoteMalformed, "signature data of 4 GiB", evidence: put(632, [255, 255, 255, 255])),
    Flaw(
      .quoteMalformed, "signature data with the padding in it",
      recipe: { $0.quote.padding = [0] },
      evidence: {
        let size = $0.quote.count - 636
        put(632, [UInt8(size & 0xff), UInt8(size >> 8), 0, 0])(&$0)
      }),
    Flaw(.quoteCertificationType, "outer 5", recipe: { $0.quote.outerCertificationType = 5 }),
    Flaw(.quoteCertificationType, "outer 7", recipe: { $0.quote.outerCertificationType = 7 }),
    Flaw(.quoteMalformed, "outer of 4 GiB", evidence: put(766, [255, 255, 255, 255])),
    Flaw(.quoteCertificationType, "inner 3", recipe: { $0.quote.innerCertificationType = 3 }),
    Flaw(.quoteCertificationType, "inner 6", recipe: { $0.quote.innerCertificationType = 6 }),
    Flaw(.quoteMalformed, "authentication data beyond the end", evidence: put(1218, [255, 255])),
    Flaw(.quoteMalformed, "inner of no bytes", evidence: put(1254, [0, 0, 0, 0])),
    Flaw(.quoteMalformed, "inner of 4 GiB", evidence: put(1254, [255, 255, 255, 255])),
  ]

  static let signatures: [Flaw] = [
    Flaw(.qeReportSignature, "a bit of the QE report", evidence: put(770, [1])),
    Flaw(.qeReportSignature, "zeros", evidence: put(1154, [UInt8](repeating: 0, count: 64))),
    Flaw(.qeReportSignature, "ones", evidence: put(1154, [UInt8](repeating: 255, count: 64))),
    Flaw(.qeReportData, "a bit of the authentication data", evidence: put(1220, [0xff])),
    Flaw(
      .qeReportData, "another key",
      recipe: { $0.quote.qeReportHash = [UInt8](repeating: 1, count: 32) }),
    Flaw(
      .quoteSignature, "by another key", recipe: { $0.quote.quoteSigner = $0.keys.stranger }),
    Flaw(.quoteSignature, "a bit of the user data", evidence: put(28, [0])),
    Flaw(.quoteSignature, "the QE SVN", evidence: put(8, [9])),
    Flaw(
      .quoteSignature, "a key that is no point of the curve",
      recipe: { $0.quote.attestationCoordinates = [UInt8](repeating: 1, count: 64) }),
    Flaw(
      .quoteSignature, "a key with a coordinate beyond the field",
      recipe: { $0.quote.attestationCoordinates = [UInt8](repeating: 255, count: 64) }),
    Flaw(
      .quoteSignature, "a key of zeros",
      recipe: { $0.quote.attestationCoordinates = [UInt8](repeating: 0, count: 64) }),
  ]

  static let attributes: [Flaw] = [
    Flaw(.tdDebug, "the debug bit", recipe: { $0.quote.tdAttributes |= 1 }),
    Flaw(.tdDebug, "and others", recipe: { $0.quote.tdAttributes = .max }),
    Flaw(.tdAttributes, "SEPT_VE_DISABLE off", recipe: { $0.quote.tdAttributes = 0 }),
    Flaw(
      .tdServiceTD, "a service TD",
      recipe: {
        version5()(&$0)
        $0.quote.mrServiceTD[47] = 1
      }),
    Flaw(
      .tdAttributes, "and a service TD",
      recipe: {
        version5()(&$0)
        $0.quote.tdAttributes |= 1 << 29
        $0.quote.mrServiceTD[0] = 1
      }),
  ]

  /// Every bit that is neither allowed nor the debug bit.
  static let forbiddenBits = (1...63).filter { ![16, 27, 28, 30, 31, 62, 63].contains($0) }
}
