package import Crypto
import FoundationEssentials

/// What a node's transport key is trusted by.
package enum KeyTrust: Sendable {
  /// Nothing is configured: every request is refused before anything is sent.
  case nothing
  /// The configuration names the key; no attestation is made.
  case pinned(X25519.PublicKey)
  /// The key that the node attests, if this verifier accepts the proof.
  case attested(any AttestationVerifier)
}

/// Judges a node's attestation. The channel itself judges nothing.
package protocol AttestationVerifier: Sendable {
  /// Returns only when the evidence proves that a node to be trusted holds
  /// `evidence.transportKey`: a quote that verifies, whose report data is `evidence.reportData`.
  func verify(_ evidence: AttestationEvidence) async throws(AttestationRefusal)

  /// Whether what `verify` accepted last still holds: asked whenever another session is opened
  /// with the same key. When it does not, the node is attested again first.
  func proofStillHolds() async -> Bool
}

extension AttestationVerifier {
  /// For a proof that does not age.
  package func proofStillHolds() async -> Bool { true }
}

/// What a node answered to the attestation call.
package struct AttestationEvidence: Sendable {
  /// The client's 32 fresh bytes.
  package let nonce: [UInt8]
  /// The decoded `quoteB64`. (The node's own reading of it, `quote`, proves nothing.)
  package let quote: [UInt8]
  package let transportKey: X25519.PublicKey
  /// The 64 bytes that the quote must have as report data, no application being expected.
  package let reportData: [UInt8]
  /// The whole answer as received, JSON: its `data.collateral` is for the verifier to read.
  package let reply: [UInt8]
  /// The answer's `Date` field. It proves nothing; it may tell that this machine's clock is wrong.
  package let date: String?

  package init(
    nonce: [UInt8], quote: [UInt8], transportKey: X25519.PublicKey, reply: [UInt8],
    date: String? = nil
  ) {
    self.nonce = nonce
    self.quote = quote
    self.transportKey = transportKey
    self.reply = reply
    self.date = date
    reportData = TransportBinding.reportData(nonce: nonce, key: transportKey)
  }
}

/// Why a verifier refused; the code is one of the appraisal's, for example `mock-quote`.
package struct AttestationRefusal: Error, Equatable, Sendable {
  package let code: String
  /// For the journal.
  package let detail: String

  package init(code: String, detail: String = "") {
    self.code = code
    self.detail = detail
  }

  /// Equal by code.
  package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

/// The attestation call: `POST {base}/admin-api/tee/attest`, unsealed, without a credential.
package enum AttestCall {
  /// The body of the call. Nodes refuse fields that they do not know.
  package static func body(nonce: [UInt8]) -> [UInt8] {
    JSONText.object([
      ("nonce", JSONText.string(Hex.encode(nonce))),
      ("bindTransportKey", Array("true".utf8)),
      ("includeCollateral", Array("true".utf8)),
    ])
  }

  /// Reads the answer to a call with `nonce`.
  ///
  /// - Throws: `SealedError.foreignReply` when it is not of this form at all, `.untrusted` when
  ///   the node names no key, or the key or the quote cannot be read.
  static func evidence(
    nonce: [UInt8], reply: [UInt8], date: String? = nil
  ) throws(SealedError) -> AttestationEvidence {
    guard let form = try? JSONDecoder().decode(Reply.self, from: Data(reply)) else {
      throw .foreignReply(status: 200)
    }
    guard let keyText = form.data.transportPublicKey else { throw .untrusted(.noTransportKey) }
    guard let keyBytes = Hex.decode(keyText), let key = try? X25519.PublicKey(keyBytes),
      let quote = form.data.quoteB64.flatMap({ Base64.decode($0) })
    else { throw .untrusted(.malformedAttestation) }
    return AttestationEvidence(
      nonce: nonce, quote: quote, transportKey: key, reply: reply, date: date)
  }

  private struct Reply: Decodable {
    struct Evidence: Decodable {
      let quoteB64: String?
      let transportPublicKey: String?
    }
    let data: Evidence
  }
}
