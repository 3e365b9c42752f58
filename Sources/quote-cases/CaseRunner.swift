import Crypto
import FoundationEssentials
import TDXQuote

/// Runs cases against the verifier that the product uses, through its production entry points;
/// only the trust anchor is the case's own, where it names one.
struct CaseRunner {
  private var data: DataDirectory

  init(data: DataDirectory) { self.data = data }

  /// - Returns: a line that names the case, what was expected and what came; `nil` when they
  ///   agree.
  mutating func complaint(_ item: Case) -> String? {
    let outcome: Outcome
    do throws(CaseProblem) {
      outcome = try judge(item)
    } catch {
      outcome = .problem(error.reason)
    }
    return outcome.difference(from: item.expect).map {
      "\(item.id): expected \($0.expected), got \($0.got)"
    }
  }

  /// The same for a row of the convergence table.
  static func complaint(_ row: ConvergenceRow) -> String? {
    let got = status(row)
    if got == row.status { return nil }
    let id = "convergence/\(row.platform), module \(row.module ?? "of version 0"), QE \(row.qe)"
    return "\(id): expected \(row.status), got \(got)"
  }

  private static func status(_ row: ConvergenceRow) -> String {
    guard let platform = PlatformStatus(rawValue: row.platform),
      let qe = ComponentStatus(rawValue: row.qe)
    else { return "unknown status" }
    var module: ComponentStatus?
    if let name = row.module {
      guard let known = ComponentStatus(rawValue: name) else { return "unknown status" }
      module = known
    }
    return TCBStatus.converged(platform: platform, module: module, qe: qe)?.rawValue
      ?? PlatformStatus.revoked.rawValue
  }

  private mutating func judge(_ item: Case) throws(CaseProblem) -> Outcome {
    let quote = try quoteBytes(item)
    let collateral = try collateralBytes(item)
    let verifier = try verifier(root: item.root)
    let demand = try item.policy.map { (policy) throws(CaseProblem) in try self.demand(of: policy) }
    do throws(QuoteFailure) {
      if let demand, let host = demand.mocksFrom, MockQuote.isMock(quote) {
        try MockQuote.accept(quote, expectedReportData: demand.reportData, from: host)
        return .mock(reportData: demand.reportData)
      }
      let verified = try verifier.verify(quote: quote, collateral: collateral, now: item.now)
      if let demand {
        _ = try demand.policy.judge(verified, expectedReportData: demand.reportData)
      }
      return .verified(verified)
    } catch {
      return .refused(error)
    }
  }

  private mutating func quoteBytes(_ item: Case) throws(CaseProblem) -> [UInt8] {
    var bytes: [UInt8]
    if let text = item.quoteB64 {
      // What is no base64 is no quote either.
      bytes = Base64.decode(text) ?? []
    } else if let file = item.quote {
      bytes = try data.bytes(file)
    } else {
      throw CaseProblem("no quote")
    }
    for edit in item.quoteEdits ?? [] { try edit.apply(to: &bytes) }
    return bytes
  }

  private mutating func collateralBytes(_ item: Case) throws(CaseProblem) -> [UInt8]? {
    guard let file = item.collateral else { return nil }
    // The file's own bytes, unless something is to be changed.
    guard let edits = item.collateralEdits, !edits.isEmpty else { return try data.bytes(file) }
    var fields = try data.object(file)
    for edit in edits { try edit.apply(to: &fields, data: &data) }
    guard let json = try? JSONEncoder().encode(JSONValue.object(fields)) else {
      throw CaseProblem("the edited collateral has no JSON")
    }
    return Array(json)
  }

  private mutating func verifier(root: String?) throws(CaseProblem) -> QuoteVerifier {
    guard let root else { return QuoteVerifier() }
    let bytes = try data.bytes(root)
    let der = PEM.certificates(bytes[...], limit: 1)?.first ?? bytes
    guard let anchor = TrustAnchor(der: der) else { throw CaseProblem("\(root) is no certificate") }
    return QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor)
  }
}

/// A case's policy in the product's terms.
private struct Demand {
  let policy: QuotePolicy
  let reportData: [UInt8]
  let mocksFrom: LoopbackHost?
}

extension CaseRunner {
  private mutating func demand(of policy: Policy) throws(CaseProblem) -> Demand {
    var images: [TrustedImage] = []
    for release in policy.releases {
      guard let published = try? PublishedRelease(json: try data.bytes(release.file)),
        let image = published.image(profile: release.profile)
      else { throw CaseProblem("\(release.file) has no profile \(release.profile)") }
      images.append(image)
    }
    var statuses: Set<TCBStatus> = []
    for name in policy.allowedTcbStatuses ?? [TCBStatus.upToDate.rawValue] {
      guard let status = TCBStatus(rawValue: name) else {
        throw CaseProblem("unknown status \(name)")
      }
      statuses.insert(status)
    }
    guard let judged = try? QuotePolicy(images: images, allowedStatuses: statuses) else {
      throw CaseProblem("a policy that trusts nothing is the caller's error")
    }
    return Demand(
      policy: judged, reportData: try reportData(policy),
      mocksFrom: policy.acceptMock == true ? LoopbackHost("127.0.0.1") : nil)
  }

  private func reportData(_ policy: Policy) throws(CaseProblem) -> [UInt8] {
    let noApplication = String(repeating: "00", count: 32)
    guard let nonce = Hex.decode(policy.nonce), nonce.count == 32,
      let key = Hex.decode(policy.transportKey), key.count == 32,
      let inner = Hex.decode(policy.applicationHash ?? noApplication), inner.count == 32
    else { throw CaseProblem("nonce, key and application hash have 32 bytes each") }
    return nonce + SHA256.hash(Array("calimero.tee-attest.transport-key.v1".utf8) + inner + key)
  }
}
