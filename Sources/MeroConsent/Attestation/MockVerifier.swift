import EventLoop
import FoundationEssentials
import Sealed
import TDXQuote

/// Trusts a development node on this machine by its mock quote.
@LoopActor final class MockVerifier: AttestationVerifier, ProofJudge {
  private let host: LoopbackHost
  private let now: @Sendable () -> Date
  private let record: AttestationRecord

  nonisolated init(
    host: LoopbackHost, now: @escaping @Sendable () -> Date, record: AttestationRecord
  ) {
    self.host = host
    self.now = now
    self.record = record
  }

  func accepts(_ proof: AttestationRecord.Proof) -> Bool {
    if case .mock = proof.kind { true } else { false }
  }

  @LoopActor func verify(_ evidence: AttestationEvidence) async throws(AttestationRefusal) {
    record.last = nil
    do throws(QuoteFailure) {
      try MockQuote.accept(evidence.quote, expectedReportData: evidence.reportData, from: host)
    } catch {
      throw AttestationRefusal(code: error.rawValue, detail: error.explanation)
    }
    record.last = NodeAttestation(
      image: "development", isMock: true, tcbStatus: nil, advisoryIDs: [], verifiedAt: now(),
      holdsUntil: nil)
    record.proof = AttestationRecord.Proof(key: evidence.transportKey, kind: .mock)
  }
}
