/// Verifies TDX quotes: a pure function of quote, collateral, time and trust anchor. It asks no
/// network and no clock and keeps nothing.
package struct QuoteVerifier: Sendable {
  /// Trusts Intel's SGX root, and nothing else.
  package init() {}

  /// Steps 1 to 18 of the specification's section 5.
  ///
  /// - Parameter quote: the bytes of `quoteB64`.
  /// - Parameter collateral: the JSON object that came with it, as bytes; `nil` when none came,
  ///   which fails as `collateral-malformed`.
  /// - Parameter now: Unix seconds.
  package func verify(
    quote: [UInt8], collateral: [UInt8]?, now: Int64
  ) throws(QuoteFailure) -> VerifiedQuote {
    _ = try Quote(parsing: quote)
    // The next steps are being built: until then nothing is accepted.
    throw .collateralMalformed
  }
}
