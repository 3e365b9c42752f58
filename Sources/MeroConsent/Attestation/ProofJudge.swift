import EventLoop
import Sealed

/// Judges what was proved under another trust.
@LoopActor protocol ProofJudge {
  /// Whether a node that has proved this is trusted.
  func accepts(_ proof: AttestationRecord.Proof) -> Bool
}

extension KeyTrust {
  /// Whether a node that has proved this is trusted.
  @LoopActor func accepts(_ proof: AttestationRecord.Proof) -> Bool {
    switch self {
    case .nothing: false
    case .pinned(let key): key == proof.key
    case .attested(let verifier): (verifier as? any ProofJudge)?.accepts(proof) ?? false
    }
  }
}
