import EventLoop
import FoundationEssentials
import Sealed
import TDXQuote

/// Trusts a node whose TDX quote verifies and shows one of the images.
@LoopActor final class ImageVerifier: AttestationVerifier, ProofJudge {
  private let verifier: QuoteVerifier
  private let policy: QuotePolicy
  private let now: @Sendable () -> Date
  private let record: AttestationRecord

  nonisolated init(
    verifier: QuoteVerifier, policy: QuotePolicy, now: @escaping @Sendable () -> Date,
    record: AttestationRecord
  ) {
    self.verifier = verifier
    self.policy = policy
    self.now = now
    self.record = record
  }

  @LoopActor func verify(_ evidence: AttestationEvidence) async throws(AttestationRefusal) {
    record.last = nil
    let time = now()
    do throws(QuoteFailure) {
      let (quote, image) = try judge(evidence, at: time)
      record.last = NodeAttestation(
        image: image.name, isMock: false, tcbStatus: quote.status.rawValue,
        advisoryIDs: quote.advisoryIDs, verifiedAt: time,
        holdsUntil: Date(timeIntervalSince1970: Double(quote.holdsUntil)))
      record.proof = AttestationRecord.Proof(
        key: evidence.transportKey, kind: .quote(quote, reportData: evidence.reportData))
    } catch {
      let clock = error.dependsOnTheClock ? " " + clockAdvice(evidence, at: time) : ""
      throw AttestationRefusal(code: error.rawValue, detail: error.explanation + clock)
    }
  }

  /// Until something that the verdict rests on runs out. A clock that was set back before the
  /// verdict makes it as doubtful as one that ran on.
  @LoopActor func proofStillHolds() async -> Bool {
    guard let last = record.last, let end = last.holdsUntil else { return false }
    let time = now()
    return last.verifiedAt <= time && time <= end
  }

  func accepts(_ proof: AttestationRecord.Proof) -> Bool {
    guard case .quote(let quote, let reportData) = proof.kind else { return false }
    return (try? policy.judge(quote, expectedReportData: reportData)) != nil
  }

  private func judge(
    _ evidence: AttestationEvidence, at time: Date
  ) throws(QuoteFailure) -> (VerifiedQuote, TrustedImage) {
    let quote = try verifier.verify(
      quote: evidence.quote, collateral: AttestReply.collateral(in: evidence.reply),
      now: Int64(time.timeIntervalSince1970.rounded(.down)))
    let image = try policy.judge(quote, expectedReportData: evidence.reportData)
    return (quote, image)
  }

  private func clockAdvice(_ evidence: AttestationEvidence, at time: Date) -> String {
    let nodeTime = evidence.date.flatMap(HTTPDate.date)
    return ClockAdvice(here: time, node: nodeTime)
      .sentence(holdsAtNodeTime: { nodeTime in (try? self.judge(evidence, at: nodeTime)) != nil })
  }
}
