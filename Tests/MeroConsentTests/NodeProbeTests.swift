import Crypto
import EventLoop
import FoundationEssentials
import MeroConsent
import Sealed
import TDXQuote
import TestPKI
import Testing

/// Looking at a node without asking anything of it.
@Suite struct NodeProbeTests {
  private static let start = Date(timeIntervalSince1970: Double(TestPKI().now))

  private static func node(_ machine: TestPKI = TestPKI(), date: String? = nil) -> MemoryNode {
    MemoryNode(
      quote: .tdx(machine, root: NodeTrustTests.root), api: SealedClientTests.decided,
      spoil: { (_, answer) throws(CarrierError) in
        var answer = answer
        answer.head.date = date
        return answer
      })
  }

  private static func look(
    _ node: MemoryNode, _ trust: NodeProbe.Trust, at url: String = NodeTrustTests.remote,
    verifier: QuoteVerifier? = nil
  ) async throws -> NodeProbe.Report {
    let verifier = try verifier ?? NodeTrustTests.verifier()
    return try await NodeProbe.look(
      at: NodeAddress(url), trust, carrier: node, verifier: verifier, now: { start })
  }

  @Test func tellsWhatWasVerifiedAndAsksNothing() async throws {
    let node = Self.node(date: "Mon, 21 Sep 2026 14:13:20 GMT")
    let report = try await Self.look(node, .by(.measurements([NodeTrustTests.image])))
    #expect(report.isReachable && report.isSealed && report.failure == nil)
    #expect(report.attestation?.tcbStatus == "UpToDate")
    #expect(report.attestation?.verifiedAt == Self.start)
    #expect(report.quote?.isVerified == true)
    #expect(await report.transportKey == node.transportKey)
    #expect(report.clocks?.here == Self.start)
    #expect(report.clocks?.node == Date(timeIntervalSince1970: 1_790_000_000))
    #expect(await node.paths == ["/admin-api/tee/attest", "/sealed/v2/handshake"])
    #expect(await node.isClosed)
  }

  @Test func tellsWhatAGenuineNodeRunsWithoutTrustingIt() async throws {
    let report = try await Self.look(Self.node(), .anyImage)
    #expect(report.isSealed && report.failure == nil)
    #expect(report.attestation == nil)
    let registers = try #require(report.quote?.lines.first { $0.name == "mrtd" })
    #expect(registers.value == String(repeating: "d0", count: 48))
  }

  @Test func tellsOfTheQuoteOfANodeThatIsNotTrusted() async throws {
    let node = Self.node()
    let report = try await Self.look(node, .by(.measurements([NodeTrustTests.otherImage])))
    #expect(report.isReachable && !report.isSealed)
    #expect(report.failure?.code == .nodeUntrusted)
    #expect(report.quote?.isVerified == true)
    #expect(report.attestation == nil && report.transportKey == nil)
    #expect(await node.paths == ["/admin-api/tee/attest"])
  }

  @Test func intelsRootIsTheOnlyOneByDefault() async throws {
    for trust in [NodeProbe.Trust.anyImage, .by(.measurements([NodeTrustTests.image]))] {
      let report = try await NodeProbe.look(
        at: NodeAddress(NodeTrustTests.remote), trust, carrier: Self.node(), now: { Self.start })
      #expect(report.failure?.advice.contains("root-crl-invalid") == true)
      #expect(report.quote?.isVerified == false)
    }
  }

  @Test func aQuoteThatAnswersSomebodyElseIsNone() async throws {
    let machine = TestPKI()
    let stale = machine.evidence(rootDER: NodeTrustTests.root)
    let node = MemoryNode(quote: .bytes(stale.quote), api: SealedClientTests.decided)
    let report = try await Self.look(node, .anyImage)
    #expect(!report.isSealed && report.failure?.code == .nodeUntrusted)
  }

  @Test func aPinnedKeyIsShownByTheHandshakeAlone() async throws {
    let node = Self.node()
    let key = await node.transportKey
    let report = try await Self.look(node, .by(.transportKey(key.uppercased())))
    #expect(report.isSealed && report.attestation == nil && report.quote == nil)
    #expect(report.transportKey == key)
    #expect(await node.paths == ["/sealed/v2/handshake"])
  }
}
