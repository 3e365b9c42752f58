/// An image that a configuration trusts: five registers that belong together, and a name for it.
package struct TrustedImage: Hashable, Sendable {
  /// For people: a release and a profile, or what the configuration calls it.
  package let name: String
  package let measurements: Measurements
  /// What is good enough for this image; `nil` for what the policy says.
  package let allowedStatuses: Set<TCBStatus>?

  package init(
    name: String, measurements: Measurements, allowedStatuses: Set<TCBStatus>? = nil
  ) {
    self.name = name
    self.measurements = measurements
    self.allowedStatuses = allowedStatuses
  }
}

/// What a client demands of a verified quote (specification, section 10).
package struct QuotePolicy: Sendable {
  /// A policy that cannot be meant.
  package enum Misuse: Error, Equatable, Sendable {
    /// No image: that must not come to mean "trust all".
    case noImages
    /// No status: nothing could ever be trusted.
    case noStatuses
  }

  package let images: [TrustedImage]
  package let allowedStatuses: Set<TCBStatus>

  /// - Parameter images: the trusted images; registers of different ones never combine.
  /// - Parameter allowedStatuses: by default a platform that is up to date, and no other. A
  ///   release's own list of statuses widens nothing; only the application does.
  package init(
    images: [TrustedImage], allowedStatuses: Set<TCBStatus> = [.upToDate]
  ) throws(Misuse) {
    if images.isEmpty { throw .noImages }
    if allowedStatuses.isEmpty || images.contains(where: { $0.allowedStatuses?.isEmpty == true }) {
      throw .noStatuses
    }
    self.images = images
    self.allowedStatuses = allowedStatuses
  }

  /// - Parameter expectedReportData: 64 bytes, what the node had to put into its quote to answer
  ///   our nonce and to bind its key.
  /// A status that only one image allows is allowed for no other.
  /// - Returns: the image that runs.
  /// - Throws: `tcb-status-not-allowed`, `measurements-untrusted` or `report-data-mismatch`, in
  ///   this order.
  package func judge(
    _ quote: VerifiedQuote, expectedReportData: [UInt8]
  ) throws(QuoteFailure) -> TrustedImage {
    let allowing = images.filter { ($0.allowedStatuses ?? allowedStatuses).contains(quote.status) }
    guard !allowing.isEmpty else { throw .tcbStatusNotAllowed }
    guard let image = allowing.first(where: { $0.measurements == quote.measurements }) else {
      let isKnown = images.contains { $0.measurements == quote.measurements }
      throw isKnown ? .tcbStatusNotAllowed : .measurementsUntrusted
    }
    guard expectedReportData.count == TDReport.reportDataSize,
      quote.reportData == expectedReportData
    else { throw .reportDataMismatch }
    return image
  }
}
