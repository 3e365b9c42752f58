package import EventLoop

/// What one node proved last. Written by the verifiers, read by whoever tells people.
@LoopActor package final class AttestationRecord {
  /// `nil` before the first attestation, and after one that failed.
  package internal(set) var last: NodeAttestation?

  package nonisolated init() {}
}
