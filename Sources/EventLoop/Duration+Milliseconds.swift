extension Duration {
  /// For C interfaces that count milliseconds in 32 bits, and for which 0 means "for ever":
  /// between 1 and about 24 days.
  package var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return seconds < 0 ? 1 : Int(Int32.max) }
    let (sum, past) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return past ? Int(Int32.max) : Int(max(1, min(sum, Int64(Int32.max))))
  }
}
