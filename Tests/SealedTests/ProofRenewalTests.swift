import Crypto
import Sealed
import Synchronization
import Testing

/// A proof that has run out while a session was open forces an attestation when it is renewed.
@Suite(.timeLimit(.minutes(5))) struct ProofRenewalTests {
  /// Accepts every proof, and says of it what the test says.
  private final class AgeingVerifier: AttestationVerifier {
    private let holds = Mutex(true)
    private let dates = Mutex<[String?]>([])

    var seenDates: [String?] { dates.withLock { $0 } }

    func runOut() { holds.withLock { $0 = false } }

    func verify(_ evidence: AttestationEvidence) async throws(AttestationRefusal) {
      dates.withLock { $0.append(evidence.date) }
      holds.withLock { $0 = true }
    }

    func proofStillHolds() async -> Bool { holds.withLock { $0 } }
  }

  private let verifier = AgeingVerifier()
  private let node = FakeNode()
  private let clock = ManualClock()

  private func channel() -> SealedChannel {
    SealedChannel(on: node, carrier: node, trust: .attested(verifier), clock: clock.sealed)
  }

  private func get(_ channel: SealedChannel) async throws {
    _ = try await channel.send(SealedRequest(method: "GET", path: "/a"))
  }

  /// Leaves the session, which is idle for too long.
  private func renew(_ channel: SealedChannel) async throws {
    clock.advance(by: .seconds(600))
    try await get(channel)
  }

  @Test func aProofThatHoldsIsKept() async throws {
    let channel = channel()
    try await get(channel)
    try await renew(channel)
    #expect(await node.count(.handshake) == 2)
    #expect(await node.count(.attest) == 1)
  }

  @Test func aProofThatRanOutIsAskedForAgain() async throws {
    let channel = channel()
    try await get(channel)
    verifier.runOut()
    // The open session is not disturbed.
    try await get(channel)
    #expect(await node.count(.attest) == 1)
    try await renew(channel)
    #expect(await node.count(.attest) == 2)
    try await renew(channel)
    #expect(await node.count(.handshake) == 3)
    #expect(await node.count(.attest) == 2)
  }

  @Test func theVerifierSeesTheAnswersDate() async throws {
    try await get(channel())
    #expect(verifier.seenDates.count == 1)
  }
}
