/// A quote's parts, cut out and not yet believed (specification, section 2).
struct Quote {
  /// Longer ones are refused. Real quotes are padded up to 8000 bytes.
  static let sizeLimit = 64 * 1024

  /// Header, descriptor and report: what the attestation key signed.
  let signedBytes: ArraySlice<UInt8>
  let report: TDReport
  /// r and s, 64 bytes.
  let signature: ArraySlice<UInt8>
  /// x and y, 64 bytes; perhaps no point of the curve.
  let attestationKey: ArraySlice<UInt8>
  let qeReport: QEReport
  /// r and s, 64 bytes, over the QE report by the PCK key.
  let qeReportSignature: ArraySlice<UInt8>
  let qeAuthenticationData: ArraySlice<UInt8>
  /// Leaf, CA and root as PEM.
  let pckChain: ArraySlice<UInt8>
}

extension Quote {
  private static let headerSize = 48
  private static let teeTDX: UInt32 = 0x81
  private static let keyTypeP256: UInt16 = 2
  private static let intelQE: [UInt8] = [
    0x93, 0x9a, 0x72, 0x33, 0xf7, 0x9c, 0x4c, 0xa9, 0x94, 0x0a, 0x0d, 0xb3, 0x95, 0x7f, 0x06, 0x07,
  ]
  private static let certificationQEReport: UInt16 = 6
  private static let certificationPEMChain: UInt16 = 5

  /// Steps 1 to 4 of section 5, in their order.
  init(parsing bytes: [UInt8]) throws(QuoteFailure) {
    if MockQuote.isMock(bytes) { throw .mockQuote }
    guard bytes.count >= Self.headerSize, bytes.count <= Self.sizeLimit else {
      throw .quoteMalformed
    }
    var reader = ByteReader(bytes)
    let version = try Self.readHeader(&reader)
    let reportVersion = try Self.readBodyType(&reader, quoteVersion: version)
    guard let report = reader.take(TDReport.size(of: reportVersion)) else { throw .quoteMalformed }
    self.report = TDReport(version: reportVersion, bytes: report)
    signedBytes = bytes[..<reader.position]

    guard let size = reader.uint32(), var data = reader.part(Int(size)),
      let signature = data.take(64), let key = data.take(64)
    else { throw .quoteMalformed }
    self.signature = signature
    attestationKey = key

    var certification = try Self.readCertification(&data, type: Self.certificationQEReport)
    guard let qeReport = certification.take(QEReport.size),
      let qeSignature = certification.take(64),
      let authenticationSize = certification.uint16(),
      let authenticationData = certification.take(Int(authenticationSize))
    else { throw .quoteMalformed }
    self.qeReport = QEReport(qeReport)
    qeReportSignature = qeSignature
    qeAuthenticationData = authenticationData

    var chain = try Self.readCertification(&certification, type: Self.certificationPEMChain)
    guard let pem = chain.take(chain.remaining) else { throw .quoteMalformed }
    pckChain = pem
  }

  /// - Returns: the quote's version, 4 or 5.
  private static func readHeader(_ reader: inout ByteReader) throws(QuoteFailure) -> UInt16 {
    guard let version = reader.uint16(), let keyType = reader.uint16(),
      let teeType = reader.uint32(), reader.take(4) != nil, let vendor = reader.take(16),
      reader.take(20) != nil
    else { throw .quoteMalformed }
    guard version == 4 || version == 5 else { throw .quoteVersion }
    guard teeType == teeTDX else { throw .quoteTEEType }
    guard keyType == keyTypeP256 else { throw .quoteKeyType }
    guard vendor.elementsEqual(intelQE) else { throw .quoteVendor }
    return version
  }

  private static func readBodyType(
    _ reader: inout ByteReader, quoteVersion: UInt16
  ) throws(QuoteFailure) -> VerifiedQuote.ReportVersion {
    if quoteVersion == 4 { return .tdx10 }
    guard let type = reader.uint16(), let size = reader.uint32() else { throw .quoteMalformed }
    let version: VerifiedQuote.ReportVersion
    switch type {
    case 2: version = .tdx10
    case 3: version = .tdx15
    default: throw .quoteBodyType  // SGX, the extended 1.5 report, and what nobody knows
    }
    guard Int(size) == TDReport.size(of: version) else { throw .quoteBodyType }
    return version
  }

  /// Type, size and data of a certification, which must fill what is left of `reader`.
  private static func readCertification(
    _ reader: inout ByteReader, type expected: UInt16
  ) throws(QuoteFailure) -> ByteReader {
    guard let type = reader.uint16(), let size = reader.uint32(), Int(size) == reader.remaining,
      let data = reader.part(Int(size))
    else { throw .quoteMalformed }
    guard type == expected else { throw .quoteCertificationType }
    return data
  }
}
