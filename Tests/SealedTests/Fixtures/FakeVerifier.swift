import Crypto
import Sealed
import Synchronization

/// Accepts what the fake node calls a quote: the report data alone.
final class FakeVerifier: AttestationVerifier {
  private let state = Mutex<[AttestationEvidence]>([])

  /// What it was asked, in order.
  var asked: [AttestationEvidence] { state.withLock { $0 } }

  func verify(_ evidence: AttestationEvidence) async throws(AttestationRefusal) {
    state.withLock { $0.append(evidence) }
    guard evidence.quote == evidence.reportData else {
      throw AttestationRefusal(code: "report-data-mismatch")
    }
  }
}
