import Crypto
import DevelopmentNode
import EventLoop
import FoundationEssentials
import MeroConsent
import Sealed
import TDXQuote
import TestPKI
import Testing

/// What a client tells of a node's proof, and how long it relies on it.
@Suite struct AttestationTests {
  private static let pki = TestPKI()
  private static let start = Date(timeIntervalSince1970: Double(pki.now))
  private static let end = Date(timeIntervalSince1970: Double(pki.holdsUntil))

  private static func image(_ name: String?) -> NodeTrust {
    var image = NodeTrustTests.image
    image.name = name
    return .measurements([NodeTrustTests.otherImage, image])
  }

  private static func client(
    _ node: MemoryNode, _ trust: NodeTrust, clock: TestClock = TestClock(start: start),
    at url: String = NodeTrustTests.remote
  ) throws -> MeroClient {
    try MeroClient(
      node: NodeAddress(url), trust: trust, tokens: Fixture.tokens, carrier: { node },
      clock: clock.clock(), verifier: NodeTrustTests.verifier())
  }

  private static func measuredNode(
    _ machine: TestPKI = pki, date: String? = nil
  ) -> MemoryNode {
    MemoryNode(
      quote: .tdx(machine, root: NodeTrustTests.root), api: SealedClientTests.decided,
      spoil: { (path, answer) throws(CarrierError) in
        guard path.hasSuffix("/attest") else { return nil }
        var answer = answer
        answer.head.date = date
        return answer
      })
  }

  private static func advice(_ client: MeroClient) async -> String {
    do throws(ConsentError) {
      _ = try await client.consentResult("rq-1")
      return "trusted"
    } catch {
      return error.code == .nodeUntrusted ? error.advice : error.code.rawValue
    }
  }

  // MARK: What is told

  @Test func tellsWhatWasVerified() async throws {
    var machine = Self.pki
    machine.quote.qeSVN = 6
    var image = NodeTrustTests.image
    image.name = "2.3.87 locked-read-only"
    let trust = NodeTrust.measurements([image], tcb: ["OutOfDate"])
    let client = try Self.client(Self.measuredNode(machine), trust)
    #expect(await client.attestation == nil)
    _ = try await client.consentResult("rq-1")
    let told = try #require(await client.attestation)
    #expect(told.image == "2.3.87 locked-read-only")
    #expect(!told.isMock)
    #expect(told.tcbStatus == "OutOfDate")
    #expect(told.advisoryIDs == ["SA-QE-6"])
    #expect(told.verifiedAt == Self.start)
    #expect(told.holdsUntil == Self.end)
  }

  @Test func anImageWithoutANameHasItsPlaceInTheList() async throws {
    let client = try Self.client(Self.measuredNode(), Self.image(nil))
    _ = try await client.consentResult("rq-1")
    #expect(await client.attestation?.image == "image 2")
  }

  @Test func aPinnedKeyProvesNothingElse() async throws {
    let node = Self.measuredNode()
    let client = try Self.client(node, .transportKey(await node.transportKey))
    _ = try await client.consentResult("rq-1")
    #expect(await client.attestation == nil)
  }

  @Test func aMockIsToldAsAMock() async throws {
    let node = MemoryNode(api: SealedClientTests.decided)
    let client = try Self.client(node, .development, at: SealedClientTests.address)
    _ = try await client.consentResult("rq-1")
    let told = try #require(await client.attestation)
    #expect(told.isMock)
    #expect(told.tcbStatus == nil && told.holdsUntil == nil && told.advisoryIDs.isEmpty)
    #expect(told.verifiedAt == Self.start)
  }

  // MARK: How long it counts

  @Test func theVerdictIsKeptForASessionsLife() async throws {
    let node = Self.measuredNode()
    let clock = TestClock(start: Self.start)
    let client = try Self.client(node, Self.image("x"), clock: clock)
    _ = try await client.consentResult("rq-1")
    clock.advance(by: .seconds(Self.end.timeIntervalSince(Self.start) + 1))
    // The collateral has run out, the session has not.
    _ = try await client.consentResult("rq-1")
    #expect(await node.paths.count { $0.hasSuffix("/attest") } == 1)
  }

  @Test func anotherSessionRestsOnTheSameVerdictWhileItHolds() async throws {
    let node = Self.measuredNode()
    let clock = TestClock(start: Self.start)
    let client = try Self.client(node, Self.image("x"), clock: clock)
    _ = try await client.consentResult("rq-1")
    clock.advance(by: .seconds(Self.end.timeIntervalSince(Self.start)))
    await node.forgetSessions()
    _ = try await client.consentResult("rq-1")
    #expect(await node.paths.count { $0.hasSuffix("/attest") } == 1)
    #expect(await node.paths.count { $0.hasSuffix("/handshake") } == 2)
  }

  @Test func collateralThatRanOutForcesAnAttestationAtTheRenewal() async throws {
    let node = Self.measuredNode()
    let clock = TestClock(start: Self.start)
    let client = try Self.client(node, Self.image("x"), clock: clock)
    _ = try await client.consentResult("rq-1")
    clock.advance(by: .seconds(Self.end.timeIntervalSince(Self.start) + 1))
    await node.forgetSessions()
    // This node has nothing newer to show.
    #expect(await Self.advice(client).contains("pck-crl-not-current"))
    #expect(await node.paths.count { $0.hasSuffix("/attest") } == 2)
    #expect(await client.attestation == nil)
  }

  @Test func aClockThatWasSetBackBeforeTheVerdictForcesOneToo() async throws {
    let node = Self.measuredNode()
    let clock = TestClock(start: Self.start)
    let client = try Self.client(node, Self.image("x"), clock: clock)
    _ = try await client.consentResult("rq-1")
    clock.advance(by: .seconds(-1))
    await node.forgetSessions()
    _ = try await client.consentResult("rq-1")
    #expect(await node.paths.count { $0.hasSuffix("/attest") } == 2)
  }

  @Test func aNodeThatRestartsIsAttestedAgain() async throws {
    let node = Self.measuredNode()
    let client = try Self.client(node, Self.image("x"))
    _ = try await client.consentResult("rq-1")
    await node.restart()
    _ = try await client.consentResult("rq-1")
    #expect(await node.paths.count { $0.hasSuffix("/attest") } == 2)
  }

  // MARK: Whose clock

  @Test func anImplausibleClockIsNamed() async throws {
    let clock = TestClock(start: Date(timeIntervalSince1970: 3600))
    let client = try Self.client(Self.measuredNode(), Self.image("x"), clock: clock)
    let advice = await Self.advice(client)
    #expect(advice.contains("root-crl-not-current"))
    #expect(advice.contains("1970-01-01T01:00:00Z, which cannot be"))
  }

  @Test func aClockThatTheNodeContradictsIsNamed() async throws {
    // A year ahead of the machine's documents, which hold by the node's own clock.
    let machine = TestPKI(now: 1_796_126_400)  // 2026-12-01T12:00:00Z
    let clock = TestClock(start: Date(timeIntervalSince1970: Double(machine.now) + 31_536_000))
    let node = Self.measuredNode(machine, date: "Tue, 01 Dec 2026 12:00:00 GMT")
    let client = try Self.client(node, Self.image("x"), clock: clock)
    #expect(await Self.advice(client).contains("the clock here is the likely cause"))
  }

  @Test func staleCollateralIsNamedWhereTheClocksAgree() async throws {
    let machine = TestPKI(now: 1_796_126_400)
    let clock = TestClock(start: Date(timeIntervalSince1970: Double(machine.now) + 31_536_000))
    let node = Self.measuredNode(machine, date: "Wed, 01 Dec 2027 12:00:00 GMT")
    let client = try Self.client(node, Self.image("x"), clock: clock)
    #expect(await Self.advice(client).contains("has to fetch its collateral anew"))
  }

  @Test func otherRefusalsSayNothingAboutClocks() async throws {
    let client = try Self.client(
      Self.measuredNode(), .measurements([NodeTrustTests.otherImage]),
      clock: TestClock(start: Self.start))
    let advice = await Self.advice(client)
    #expect(advice.contains("measurements-untrusted"))
    #expect(!advice.contains("clock"))
  }
}
