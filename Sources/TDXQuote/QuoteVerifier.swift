import Crypto

/// Verifies TDX quotes: a pure function of quote, collateral, time and trust anchor. It asks no
/// network and no clock and keeps nothing.
package struct QuoteVerifier: Sendable {
  /// `nil` for Intel's root, which is parsed when the first quote is judged: most programs never
  /// judge one.
  private let replacement: TrustAnchor?

  /// Trusts Intel's SGX root, and nothing else.
  package init() { replacement = nil }

  /// Trusts `anchor` and **not** Intel's root. For tests and for `quote-cases` alone: a test reads
  /// the sources and fails when anything else names this entry point.
  package init(trustingInsteadOfIntelInTestsOnly anchor: TrustAnchor) { replacement = anchor }

  /// Steps 1 to 18 of the specification's section 5, in their order.
  ///
  /// - Parameter quote: the bytes of `quoteB64`.
  /// - Parameter collateral: the JSON object that came with it, as bytes; `nil` when none came,
  ///   which fails as `collateral-malformed`.
  /// - Parameter now: Unix seconds.
  package func verify(
    quote bytes: [UInt8], collateral json: [UInt8]?, now: Int64
  ) throws(QuoteFailure) -> VerifiedQuote {
    let quote = try Quote(parsing: bytes)
    let collateral = try Collateral(parsing: json)
    var chains = ChainVerifier(anchor: replacement ?? .intelSGXRoot, now: now)
    let rootCRL = try chains.rootCRL(collateral.rootCRL)
    let pckCA = try chains.certificate(
      .pckCA, inChain: collateral.pckCRLIssuerChain, rootCRL: rootCRL, failures: .pckCRL)
    let pckCRL = try chains.pckCRL(collateral.pckCRL, issuer: pckCA)
    let tcbInfo = try Self.tcbInfo(collateral, &chains, rootCRL)
    let qeIdentity = try Self.qeIdentity(collateral, &chains, rootCRL)
    let leaf = try chains.pckCertificate(
      inChain: quote.pckChain, rootCRL: rootCRL, pckCRL: pckCRL, listIssuer: pckCA)
    let platform = try PCKExtension(of: leaf.certificate)
    guard platform.fmspc == tcbInfo.fmspc, platform.pceID == tcbInfo.pceID else {
      throw .tcbInfoMismatch
    }
    try Self.checkQEReport(quote, pckKey: leaf.key)
    let qeLevel = try qeIdentity.level(of: quote.qeReport)
    guard let attestationKey = ECDSAP256.PublicKey(coordinates: quote.attestationKey),
      attestationKey.isSignature(quote.signature, over: quote.signedBytes),
      let measurements = quote.report.measurements
    else { throw .quoteSignature }
    // From here on the report's fields count.
    let appraisal = try Appraisal(
      report: quote.report, platform: platform, tcbInfo: tcbInfo, qeLevel: qeLevel)
    try TDAttributes.judge(quote.report)
    return VerifiedQuote(
      status: appraisal.status, advisoryIDs: appraisal.advisoryIDs, measurements: measurements,
      reportData: quote.report.reportData, fmspc: platform.fmspc,
      reportVersion: quote.report.version, holdsUntil: chains.holdsUntil)
  }

  /// Step 8.
  private static func tcbInfo(
    _ collateral: Collateral, _ chains: inout ChainVerifier, _ rootCRL: borrowing CRL
  ) throws(QuoteFailure) -> TCBInfo {
    let signer = try chains.certificate(
      .tcbSigning, inChain: collateral.tcbInfoIssuerChain, rootCRL: rootCRL, failures: .tcbInfo)
    guard signer.key.isSignature(collateral.tcbInfoSignature, over: collateral.tcbInfo) else {
      throw .tcbInfoSignature
    }
    guard let dates = try? SignedDates(reading: collateral.tcbInfo) else {
      throw .tcbInfoMalformed
    }
    guard chains.holds(dates) else { throw .tcbInfoNotCurrent }
    return try TCBInfo(parsing: collateral.tcbInfo)
  }

  /// Step 9.
  private static func qeIdentity(
    _ collateral: Collateral, _ chains: inout ChainVerifier, _ rootCRL: borrowing CRL
  ) throws(QuoteFailure) -> QEIdentity {
    let signer = try chains.certificate(
      .tcbSigning, inChain: collateral.qeIdentityIssuerChain, rootCRL: rootCRL,
      failures: .qeIdentity)
    guard signer.key.isSignature(collateral.qeIdentitySignature, over: collateral.qeIdentity)
    else { throw .qeIdentitySignature }
    guard let dates = try? SignedDates(reading: collateral.qeIdentity) else {
      throw .qeIdentityMalformed
    }
    guard chains.holds(dates) else { throw .qeIdentityNotCurrent }
    return try QEIdentity(parsing: collateral.qeIdentity)
  }

  /// Steps 12 and 13.
  private static func checkQEReport(
    _ quote: Quote, pckKey: borrowing ECDSAP256.PublicKey
  ) throws(QuoteFailure) {
    guard pckKey.isSignature(quote.qeReportSignature, over: quote.qeReport.bytes) else {
      throw .qeReportSignature
    }
    let hash = SHA256.hash(quote.attestationKey + quote.qeAuthenticationData)
    guard quote.qeReport.reportDataHash.elementsEqual(hash) else { throw .qeReportData }
  }
}
