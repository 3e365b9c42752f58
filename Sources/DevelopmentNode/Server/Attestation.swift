package import Crypto
import Sealed

/// Answers `POST /admin-api/tee/attest` with a mock quote: the report data of a real one, and no
/// signature at all.
package enum Attestation {
  /// Every field that a node knows; it refuses others.
  private static let fields: Set<String> = [
    "nonce", "bindTransportKey", "includeCollateral", "applicationId",
  ]
  private static let magic = Array("MOCK_TDX_QUOTE_V1".utf8)
  private static let quoteSize = 256

  /// - Parameter key: the node's transport key.
  package static func answer(
    _ body: [UInt8], key: X25519.PublicKey, acts: [MisbehaviourPlan.Act] = []
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
    var quote = quote(nonce: nonce, inner: inner, key: binds ? key : nil)
    for act in acts {
      switch act.misbehaviour {
      case .wrongQuote: quote = SecureRandom.bytes(count: quoteSize)
      case .wrongBinding: quote = Self.quote(nonce: nonce, inner: inner, key: nil)
      case .wrongNonce:
        let other = SecureRandom.bytes(count: TransportBinding.nonceSize)
        quote = Self.quote(nonce: other, inner: inner, key: key)
      case .otherKey: reported = X25519.PrivateKey().publicKey
      default: break
      }
    }
    var data: JSON = ["quoteB64": .string(Base64.encode(quote)), "quote": ["mock": true]]
    if binds && !acts.has(.noTransportKey) {
      data["transportPublicKey"] = .string(Hex.encode(reported.bytes))
    }
    if asked["includeCollateral"]?.bool == true { data["collateral"] = [:] }
    return .json(["data": data])
  }

  /// - Parameter key: the key that is bound; `nil` for none, which leaves its half zero.
  private static func quote(nonce: [UInt8], inner: [UInt8]?, key: X25519.PublicKey?) -> [UInt8] {
    let reportData =
      key.map { TransportBinding.reportData(nonce: nonce, inner: inner, key: $0) }
      ?? nonce + [UInt8](repeating: 0, count: 32)
    let quote = magic + reportData
    return quote + [UInt8](repeating: 0, count: quoteSize - quote.count)
  }
}
