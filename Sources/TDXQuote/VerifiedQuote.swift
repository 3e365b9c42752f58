/// What a quote says once every signature, date and level behind it has been checked.
///
/// Made by `QuoteVerifier` alone. It says what runs and on what; whether that is to be trusted is
/// `QuotePolicy`'s question.
package struct VerifiedQuote: Equatable, Sendable {
  package enum ReportVersion: String, Sendable {
    case tdx10 = "1.0"
    case tdx15 = "1.5"
  }

  package let status: TCBStatus
  /// Intel's advisories that the chosen levels name, each once.
  package let advisoryIDs: [String]
  package let measurements: Measurements
  /// 64 bytes that the TD chose.
  package let reportData: [UInt8]
  /// 6 bytes that name the kind of platform.
  package let fmspc: [UInt8]
  package let reportVersion: ReportVersion
  /// Unix seconds: the last second at which every certificate, list and document behind the
  /// verdict still holds. A session that outlives it has to attest again when it renews.
  package let holdsUntil: Int64
}
