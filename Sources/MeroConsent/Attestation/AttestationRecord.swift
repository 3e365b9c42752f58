import Crypto
package import EventLoop
import TDXQuote

/// What one node proved last. Written by the verifiers, read by whoever tells people.
@LoopActor package final class AttestationRecord {
  /// `nil` before the first attestation, and after one that failed.
  package internal(set) var last: NodeAttestation?

  /// What the newest verdict that was good rests on: the calls that are under way rest on it too.
  var proof: Proof?

  /// What a node has proved, to be judged again when its trust changes.
  struct Proof {
    enum Kind {
      /// It has the key, and that is all.
      case none
      case mock
      case quote(VerifiedQuote, reportData: [UInt8])
    }

    let key: X25519.PublicKey
    let kind: Kind
  }

  package nonisolated init() {}
}
