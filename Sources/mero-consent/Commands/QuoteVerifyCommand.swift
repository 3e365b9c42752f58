import EventLoop
import FoundationEssentials
import MeroConsent
import TDXQuote

/// `mero-consent quote verify`: what a TDX quote is worth.
enum QuoteVerifyCommand {
  /// Bytes of a quote: a longer one is refused by the verifier too.
  static let longestQuote = 64 * 1024
  /// Bytes of collateral; real ones have about 30,000.
  static let longestCollateral = 1024 * 1024

  private static let collateral = Option(
    "collateral", "FILE", help: "the collateral that came with it (JSON), or - for standard input",
    required: true, values: .file)
  private static let at = Option(
    "at", "TIME",
    help: "judge it as of this time, 2026-12-01T10:00:00Z or seconds since 1970 (default now)")

  static let command = Command(
    path: ["quote", "verify"], group: .trust, summary: "tell what a TDX quote is worth",
    description: [
      "Checks every signature, chain, list and date behind the quote, up to Intel's SGX root, and "
        + "tells the platform's status, Intel's advisories, what runs, and what the quote says; or "
        + "the first step that fails.",
      "FILE has the quote's own bytes, not its base64. Whether what runs is to be trusted is not "
        + "asked here.",
    ],
    options: [collateral, at],
    operands: [.init(metavar: "FILE", help: "the quote, or - for standard input", values: .file)],
    exitCodes: [.done, .usage, .badData, .notWritten],
    examples: [
      .init(
        text: "A quote that was kept, as of the day when it was made",
        line: "mero-consent quote verify quote.bin --collateral collateral.json "
          + "--at 2026-06-01T00:00:00Z")
    ],
    run: { (arguments, terminal) throws(CommandFailure) in
      let audit = try audit(arguments)
      try terminal.document(audit)
      try terminal.print(lines(audit, terminal.style))
      return audit.isVerified ? .done : .badData
    })

  private static func audit(_ arguments: ParsedArguments) throws(CommandFailure) -> QuoteAudit {
    let quote = try arguments.requiredOperand(0)
    let collateral = arguments.value(collateral) ?? ""
    guard quote != "-" || collateral != "-" else {
      throw .usage("only one of the quote and the collateral can come from standard input")
    }
    return QuoteAudit(
      quote: try InputFile.read(quote, limit: longestQuote),
      collateral: try InputFile.read(collateral, limit: longestCollateral),
      at: try time(arguments.value(at)))
  }

  private static func time(_ text: String?) throws(CommandFailure) -> Date {
    guard let text else { return Date() }
    if let date = RFC3339.date(text) { return date }
    // Up to 11 digits: later years than a certificate can name make no sense.
    guard (1...11).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
      let seconds = Double(text)
    else {
      throw .usage("--at is no time: 2026-12-01T10:00:00Z, or seconds since 1970")
    }
    return Date(timeIntervalSince1970: seconds)
  }

  /// A name and a value a line.
  static func lines(_ audit: QuoteAudit, _ style: Style) -> [String] {
    audit.lines.map { name, value in
      let shown = escaped(value)
      let colored =
        name == "verdict" ? (audit.isVerified ? style.green(shown) : style.red(shown)) : shown
      return Layout.padded(name, to: 13) + colored
    }
  }
}
