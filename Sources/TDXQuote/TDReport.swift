/// The TD's report inside a quote (specification, section 2): its bytes, and names for parts.
///
/// Nothing here counts before the quote's signature has verified.
struct TDReport {
  static let reportDataSize = 64

  let version: VerifiedQuote.ReportVersion
  /// As many bytes as the version has.
  private let bytes: ArraySlice<UInt8>

  /// - Precondition: `bytes` has `size(of: version)` bytes.
  init(version: VerifiedQuote.ReportVersion, bytes: ArraySlice<UInt8>) {
    precondition(bytes.count == Self.size(of: version))
    self.version = version
    self.bytes = bytes
  }

  static func size(of version: VerifiedQuote.ReportVersion) -> Int {
    switch version {
    case .tdx10: 584
    case .tdx15: 648
    }
  }

  var teeTCBSVN: [UInt8] { field(0, 16) }
  var mrSignerSEAM: [UInt8] { field(64, 48) }
  var seamAttributes: [UInt8] { field(112, 8) }
  /// As a number: bit 0 is the lowest bit of the first byte.
  var tdAttributes: UInt64 { field(120, 8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }
  var reportData: [UInt8] { field(520, Self.reportDataSize) }

  /// The TCB as it was when the report was made; only a report of version 1.5 has it.
  var teeTCBSVN2: [UInt8]? { version == .tdx15 ? field(584, 16) : nil }
  /// Only a report of version 1.5 has it.
  var mrServiceTD: [UInt8]? { version == .tdx15 ? field(600, 48) : nil }

  var measurements: Measurements? {
    Measurements(
      mrtd: field(136, 48), rtmr0: field(328, 48), rtmr1: field(376, 48), rtmr2: field(424, 48),
      rtmr3: field(472, 48))
  }

  private func field(_ offset: Int, _ size: Int) -> [UInt8] {
    Array(bytes.dropFirst(offset).prefix(size))
  }
}
