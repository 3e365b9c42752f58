import FoundationEssentials
import MeroConsent

/// What `node probe` found, for a person and for a program.
struct NodeProbeView {
  /// Seconds that two clocks may differ by before it is worth a word.
  private static let tolerance = 60.0

  let node: NodeAddress
  let trust: String
  let report: NodeProbe.Report

  init(node: NodeAddress, _ trust: NodeProbe.Trust, _ report: NodeProbe.Report) {
    self.node = node
    self.report = report
    self.trust =
      switch trust {
      case .anyImage, .by(.unconfigured): "none"
      case .by(.transportKey): "transportKey"
      case .by(.measurements): "release"
      case .by(.development): "development"
      }
  }

  /// Everything that the trust asks for was shown.
  var isTrusted: Bool { trust != "none" && report.isSealed }

  /// By how many seconds the node's clock is ahead. `Date` has whole seconds.
  private var offset: Double? {
    report.clocks.map { $0.node.timeIntervalSince($0.here).rounded() }
  }

  // MARK: For a person

  func lines(_ style: Style) -> [String] {
    var rows = [
      ("node", escaped(node.url)),
      ("reachable", report.isReachable ? style.green("yes") : style.red("no")),
    ]
    if let offset { rows.append(("clock", clock(offset, style))) }
    rows += proof(style)
    if let key = report.transportKey { rows.append(("key", "\(escaped(key)), \(keyOrigin)")) }
    rows.append(("sealed", report.isSealed ? style.green("yes") : style.red("no")))
    rows.append(("trusted", verdict(style)))
    if let failure = report.failure {
      rows.append(("reason", escaped("\(failure.code.rawValue): \(failure.advice)")))
    }
    return rows.map { Layout.padded($0.0, to: 13) + $0.1 }
  }

  /// Who says that the key is the node's.
  private var keyOrigin: String {
    if trust == "transportKey" { return "pinned by --transport-key" }
    return report.attestation?.isMock == true ? "by a mock quote" : "proved by the quote"
  }

  private func clock(_ offset: Double, _ style: Style) -> String {
    guard abs(offset) > Self.tolerance else { return "as this machine's" }
    let span = TimeText.span(.seconds(abs(offset)))
    return style.yellow("\(span) \(offset > 0 ? "ahead of" : "behind") this machine's")
  }

  private func proof(_ style: Style) -> [(String, String)] {
    var rows: [(String, String)] = []
    if let proof = report.attestation {
      rows.append(
        ("image", proof.isMock ? "a mock quote, which proves nothing" : escaped(proof.image)))
      rows.append(("verified", TimeText.moment(proof.verifiedAt)))
      if let end = proof.holdsUntil { rows.append(("renewed", "after \(TimeText.moment(end))")) }
    }
    if let quote = report.quote {
      rows += quote.lines.filter { !["verdict", "judged at", "holds until"].contains($0.name) }
        .map { ($0.name, escaped($0.value)) }
    }
    return rows
  }

  private func verdict(_ style: Style) -> String {
    if isTrusted {
      return report.attestation?.isMock == true
        ? style.yellow("as a development node") : style.green("yes")
    }
    return report.isSealed && report.failure == nil
      ? style.yellow("not asked: no --release and no --transport-key is given") : style.red("no")
  }
}

extension NodeProbeView: Encodable {
  private enum Keys: String, CodingKey {
    case node, reachable, clock, trust, attestation, quote, transportKey, sealed, trusted, error
  }

  private struct Clock: Encodable {
    let node: String
    let here: String
    let aheadSeconds: Double
  }

  private struct Failure: Encodable {
    let code: String
    let detail: String
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Keys.self)
    try fields.encode(node.url, forKey: .node)
    try fields.encode(report.isReachable, forKey: .reachable)
    if let clocks = report.clocks, let offset {
      try fields.encode(
        Clock(
          node: RFC3339.text(clocks.node), here: RFC3339.text(clocks.here), aheadSeconds: offset),
        forKey: .clock)
    }
    try fields.encode(trust, forKey: .trust)
    try fields.encodeIfPresent(
      report.attestation.map(StatusDocument.Attestation.init), forKey: .attestation)
    try fields.encodeIfPresent(report.quote, forKey: .quote)
    try fields.encodeIfPresent(report.transportKey, forKey: .transportKey)
    try fields.encode(report.isSealed, forKey: .sealed)
    try fields.encode(isTrusted, forKey: .trusted)
    try fields.encodeIfPresent(
      report.failure.map { Failure(code: $0.code.rawValue, detail: $0.advice) }, forKey: .error)
  }
}
