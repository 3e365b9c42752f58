/// What a TD's attributes and its service TD say about its isolation (specification, section 9).
enum TDAttributes {
  private static let debug: UInt64 = 1 << 0
  private static let septVEDisable: UInt64 = 1 << 28
  /// ICSSD, LASS, SEPT_VE_DISABLE, PKS, KL, TPA and PERFMON. Not MIGRATABLE (29), nor what is
  /// not known.
  private static let allowed: UInt64 = [16, 27, 28, 30, 31, 62, 63].reduce(0) { $0 | 1 << $1 }

  /// Step 18.
  static func judge(_ report: TDReport) throws(QuoteFailure) {
    let attributes = report.tdAttributes
    guard attributes & debug == 0 else { throw .tdDebug }
    guard attributes & septVEDisable != 0, attributes & ~allowed == 0 else { throw .tdAttributes }
    guard report.mrServiceTD.map({ $0.allSatisfy { $0 == 0 } }) ?? true else { throw .tdServiceTD }
  }
}
