package import Crypto
import Sealed

/// Answers `POST /admin-api/tee/attest`, by default with a mock quote: the report data of a real
/// one, and no signature at all.
package enum Attestation {
  /// What proves the node: a quote, and its collateral as JSON.
  package struct Evidence: Sendable {
    package let quote: [UInt8]
    package let collateral: [UInt8]

    package init(quote: [UInt8], collateral: [UInt8]) {
      self.quote = quote
      self.collateral = collateral
    }
  }

  /// Makes evidence with these 64 bytes of report data. A test brings one that has a machine and
  /// a root of its own; nobody else trusts that root.
  package typealias Source = @Sendable (_ reportData: [UInt8]) -> Evidence

  /// A mock, and no collateral.
  package static let mock: Source = { reportData in
    let quote = magic + reportData
    return Evidence(
      quote: quote + [UInt8](repeating: 0, count: quoteSize - quote.count),
      collateral: Array("{}".utf8))
  }

  /// Every field that a node knows; it refuses others.
  private static let fields: Set<String> = [
    "nonce", "bindTransportKey", "includeCollateral", "applicationId",
  ]
  private static let magic = Array("MOCK_TDX_QUOTE_V1".utf8)
  private static let quoteSize = 256

  /// - Parameter key: the node's transport key.
  package static func answer(
    _ body: [UInt8], key: X25519.PublicKey, acts: [MisbehaviourPlan.Act] = [],
    source: Source = mock
  ) -> APIAnswer {
    guard case .object(let asked)? = try? JSON(parsing: body) else {
      return .refusal(400, "malformed", "The body is no JSON object.")
    }
    if let unknown = asked.keys.first(where: { !fields.contains($0) }) {
      return .refusal(400, "malformed", "Unknown field: \(unknown.prefix(32))")
    }
    guard let nonce = asked["nonce"]?.string.flatMap({ Hex.decode($0) }),
      nonce.count == TransportBinding.nonceSize
    else { return .refusal(400, "malformed", "nonce is 64 hex digits.") }
    let binds = asked["bindTransportKey"]?.bool ?? false
    // The mock's application hash: a node looks it up, here it is made of the id.
    let inner = asked["applicationId"]?.string.map { SHA256.hash(Array($0.utf8)) }

    var reported = key
    var reportData = reportData(nonce: nonce, inner: inner, key: binds ? key : nil)
    for act in acts {
      switch act.misbehaviour {
      case .wrongBinding: reportData = Self.reportData(nonce: nonce, inner: inner, key: nil)
      case .wrongNonce:
        let other = SecureRandom.bytes(count: TransportBinding.nonceSize)
        reportData = Self.reportData(nonce: other, inner: inner, key: key)
      case .otherKey: reported = X25519.PrivateKey().publicKey
      default: break
      }
    }
    let evidence = source(reportData)
    let quote =
      acts.has(.wrongQuote) ? SecureRandom.bytes(count: evidence.quote.count) : evidence.quote
    var data: JSON = ["quoteB64": .string(Base64.encode(quote)), "quote": ["mock": true]]
    if binds && !acts.has(.noTransportKey) {
      data["transportPublicKey"] = .string(Hex.encode(reported.bytes))
    }
    if asked["includeCollateral"]?.bool == true {
      data["collateral"] = (try? JSON(parsing: evidence.collateral)) ?? .null
    }
    return .json(["data": data])
  }

  /// - Parameter key: the key that is bound; `nil` for none, which leaves its half zero.
  private static func reportData(
    nonce: [UInt8], inner: [UInt8]?, key: X25519.PublicKey?
  ) -> [UInt8] {
    key.map { TransportBinding.reportData(nonce: nonce, inner: inner, key: $0) }
      ?? nonce + [UInt8](repeating: 0, count: 32)
  }
}
