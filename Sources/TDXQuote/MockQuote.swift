/// The quote of a development node: a marker, the report data and zeros, signed by nobody.
///
/// `QuoteVerifier` refuses it always. This is the only way to accept one, and it asks for proof
/// that the node is on this machine.
package enum MockQuote {
  /// What every mock begins with, 17 bytes of ASCII.
  package static let marker: [UInt8] = Array("MOCK_TDX_QUOTE_V1".utf8)

  /// The shortest mock with whole report data, in bytes.
  static let shortest = marker.count + TDReport.reportDataSize

  package static func isMock(_ quote: [UInt8]) -> Bool { quote.starts(with: marker) }

  /// Accepts a mock from a node on this machine, where the caller was explicitly told to.
  ///
  /// - Parameter node: only a loopback address makes one.
  /// - Throws: `quote-malformed` for a mock that is cut short or for a quote that is none,
  ///   `report-data-mismatch` for one that answers another question.
  package static func accept(
    _ quote: [UInt8], expectedReportData: [UInt8], from node: LoopbackHost
  ) throws(QuoteFailure) {
    _ = node
    guard isMock(quote), quote.count >= shortest else { throw .quoteMalformed }
    guard expectedReportData.count == TDReport.reportDataSize,
      quote[marker.count..<shortest].elementsEqual(expectedReportData)
    else { throw .reportDataMismatch }
  }
}

/// Proof that a node is on this machine: it exists for loopback hosts alone.
package struct LoopbackHost: Equatable, Sendable {
  package let host: String

  /// - Parameter host: the host of a URL, without port: `localhost`, an address of 127.0.0.0/8 in
  ///   four decimal numbers, `::1` or `[::1]`. Anything else is `nil`, also what only resolves to
  ///   this machine.
  package init?(_ host: String) {
    switch host {
    case "localhost", "::1", "[::1]": break
    default:
      let parts = host.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 4, parts[0] == "127", parts.allSatisfy(Self.isOctet) else { return nil }
    }
    self.host = host
  }

  /// Plain decimal only: some resolvers read `0177` as octal.
  private static func isOctet(_ part: Substring) -> Bool {
    guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
      part == "0" || !part.hasPrefix("0"), let value = Int(part)
    else { return false }
    return value <= 255
  }
}
