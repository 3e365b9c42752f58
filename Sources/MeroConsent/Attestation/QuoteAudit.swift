import Crypto
package import FoundationEssentials
package import TDXQuote

/// What a quote is worth, for people who audit nodes: no policy, no nonce, only the quote itself,
/// by Intel's root.
package struct QuoteAudit: Sendable {
  /// What was found, in the order in which it is told.
  package enum Verdict: Sendable, Equatable {
    case verified(VerifiedQuote)
    /// The first thing that is wrong.
    case refused(QuoteFailure)
  }

  package let verdict: Verdict
  /// The time that the quote was judged at.
  package let time: Date

  /// - Parameters:
  ///   - quote: the bytes of the quote itself, not its base64.
  ///   - collateral: the JSON object that came with it.
  package init(
    quote: [UInt8], collateral: [UInt8], at time: Date, verifier: QuoteVerifier = QuoteVerifier()
  ) {
    self.time = time
    do throws(QuoteFailure) {
      let seconds = Int64(time.timeIntervalSince1970.rounded(.down))
      verdict = .verified(
        try verifier.verify(quote: quote, collateral: collateral, now: seconds))
    } catch {
      verdict = .refused(error)
    }
  }

  package var isVerified: Bool {
    if case .verified = verdict { true } else { false }
  }

  /// Name and value, a line each.
  package var lines: [(name: String, value: String)] {
    switch verdict {
    case .refused(let failure):
      return [
        ("verdict", "refused"), ("failure", failure.rawValue), ("step", String(failure.step)),
        ("meaning", failure.explanation), ("judged at", RFC3339.text(time)),
      ]
    case .verified(let quote):
      let advisories = quote.advisoryIDs.isEmpty ? "none" : quote.advisoryIDs.joined(separator: " ")
      return [
        ("verdict", "verified"), ("status", quote.status.rawValue), ("advisories", advisories),
      ]
        + quote.measurements.named.map { ($0.name, Hex.encode($0.bytes)) } + [
          ("report data", Hex.encode(quote.reportData)), ("platform", Hex.encode(quote.fmspc)),
          ("TD report", quote.reportVersion.rawValue), ("judged at", RFC3339.text(time)),
          ("holds until", RFC3339.text(Date(timeIntervalSince1970: Double(quote.holdsUntil)))),
        ]
    }
  }
}

extension QuoteAudit: Encodable {
  private enum Keys: String, CodingKey {
    case ok, failure, step, meaning, status, advisoryIds, measurements, reportData, fmspc
    case tdReport, judgedAt, holdsUntil
  }

  /// The field names are those of the published cases where those have one.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Keys.self)
    try fields.encode(isVerified, forKey: .ok)
    try fields.encode(RFC3339.text(time), forKey: .judgedAt)
    switch verdict {
    case .refused(let failure):
      try fields.encode(failure.rawValue, forKey: .failure)
      try fields.encode(failure.step, forKey: .step)
      try fields.encode(failure.explanation, forKey: .meaning)
    case .verified(let quote):
      try fields.encode(quote.status.rawValue, forKey: .status)
      try fields.encode(quote.advisoryIDs, forKey: .advisoryIds)
      var registers: [String: String] = [:]
      for (name, bytes) in quote.measurements.named { registers[name] = Hex.encode(bytes) }
      try fields.encode(registers, forKey: .measurements)
      try fields.encode(Hex.encode(quote.reportData), forKey: .reportData)
      try fields.encode(Hex.encode(quote.fmspc), forKey: .fmspc)
      try fields.encode(quote.reportVersion.rawValue, forKey: .tdReport)
      let end = Date(timeIntervalSince1970: Double(quote.holdsUntil))
      try fields.encode(RFC3339.text(end), forKey: .holdsUntil)
    }
  }
}
