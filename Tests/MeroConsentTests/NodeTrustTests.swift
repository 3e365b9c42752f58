import Crypto
import EventLoop
import FoundationEssentials
import MeroConsent
import TDXQuote
import TestPKI
import Testing

/// The ways to trust a node, strictest first.
@Suite struct NodeTrustTests {
  static let remote = "https://node.example/node-7"
  /// The certificate of the tests' own Intel.
  static let root = TestPKI().root.der()

  static func verifier() throws -> QuoteVerifier {
    QuoteVerifier(trustingInsteadOfIntelInTestsOnly: try #require(TrustAnchor(der: root)))
  }

  /// What comes of asking `node` with this trust; `nil` where it is trusted.
  static func ask(
    _ node: MemoryNode, _ trust: NodeTrust, at url: String = remote
  ) async -> ConsentError? {
    do {
      let clock = TestClock(start: Date(timeIntervalSince1970: Double(TestPKI().now)))
      let client = try MeroClient(
        node: NodeAddress(url), trust: trust, tokens: Fixture.tokens, carrier: { node },
        clock: clock.clock(), verifier: Self.verifier())
      _ = try await client.consentResult("rq-1")
      return nil
    } catch {
      return error as? ConsentError
    }
  }

  static func node(_ quote: MemoryNode.Quote = .mock) -> MemoryNode {
    MemoryNode(quote: quote, api: SealedClientTests.decided)
  }

  // MARK: A pinned key

  @Test func trustsThePinnedKeyWithoutAttestation() async {
    let node = Self.node()
    #expect(await Self.ask(node, .transportKey(await node.transportKey)) == nil)
    #expect(await Self.ask(node, .transportKey(await node.transportKey.uppercased())) == nil)
    #expect(await !node.paths.contains("/admin-api/tee/attest"))
  }

  @Test func refusesANodeWithAnotherKeyThanThePinnedOne() async {
    let other = String(repeating: "09", count: 32)
    let node = Self.node()
    #expect(await Self.ask(node, .transportKey(other))?.code == .nodeUntrusted)
    #expect(await node.paths == ["/sealed/v2/handshake"])
  }

  @Test(arguments: [
    "", "00", String(repeating: "0", count: 63), String(repeating: "0", count: 66),
    String(repeating: "g", count: 64), "0x" + String(repeating: "0", count: 62),
  ])
  func refusesAKeyThatIsNone(key: String) async {
    let error = await Self.ask(Self.node(), .transportKey(key))
    #expect(error?.code == .requestInvalid)
    #expect(error?.field == "node.trust.transportKey")
  }

  @Test func refusesAKeyThatProtectsNothing() async {
    let node = Self.node()
    let zero = String(repeating: "0", count: 64)
    #expect(await Self.ask(node, .transportKey(zero))?.code == .nodeUntrusted)
    #expect(await node.posts.isEmpty)
  }

  // MARK: Measurements

  /// The registers of the quotes that the tests' machine makes.
  static let image = NodeMeasurements(
    mrtd: String(repeating: "d0", count: 48), rtmr0: String(repeating: "a0", count: 48),
    rtmr1: String(repeating: "a1", count: 48), rtmr2: String(repeating: "a2", count: 48),
    rtmr3: String(repeating: "A3", count: 48))

  static var otherImage: NodeMeasurements {
    var other = image
    other.rtmr2 = String(repeating: "00", count: 48)
    return other
  }

  @Test func trustsAVerifiedQuoteOfANamedImage() async {
    let node = Self.node(.tdx(TestPKI(), root: Self.root))
    #expect(await Self.ask(node, .measurements([Self.otherImage, Self.image])) == nil)
    #expect(await node.paths.first == "/admin-api/tee/attest")
  }

  @Test func refusesAnotherImage() async {
    let node = Self.node(.tdx(TestPKI(), root: Self.root))
    let error = await Self.ask(node, .measurements([Self.otherImage]))
    #expect(error?.code == .nodeUntrusted)
    #expect(error?.advice.contains("measurements-untrusted") == true)
    #expect(await node.paths == ["/admin-api/tee/attest"])
  }

  @Test func refusesAPlatformThatIsNotUpToDateUnlessToldOtherwise() async {
    var machine = TestPKI()
    machine.tcbInfo.levels[0].status = "SWHardeningNeeded"
    let node = Self.node(.tdx(machine, root: Self.root))
    let strict = await Self.ask(node, .measurements([Self.image]))
    #expect(strict?.advice.contains("tcb-status-not-allowed") == true)
    let told = NodeTrust.measurements([Self.image], tcb: ["UpToDate", "swhardeningneeded"])
    #expect(await Self.ask(node, told) == nil)
  }

  @Test func refusesAMockQuoteAlsoOnLoopback() async {
    for url in [Self.remote, SealedClientTests.address] {
      let error = await Self.ask(Self.node(), .measurements([Self.image]), at: url)
      #expect(error?.code == .nodeUntrusted)
      #expect(error?.advice.contains("mock-quote") == true)
    }
  }

  @Test func trustsIntelAloneUnlessATestSaysOtherwise() async throws {
    // The client of a program trusts Intel alone, so the tests' machine is nobody to it.
    let machine = TestPKI()
    let node = Self.node(.tdx(machine, root: Self.root))
    let clock = TestClock(start: Date(timeIntervalSince1970: Double(machine.now)))
    let client = try MeroClient(
      node: NodeAddress(Self.remote), trust: .measurements([Self.image]), tokens: Fixture.tokens,
      carrier: { node }, clock: clock.clock())
    #expect(await code { try await client.consentResult("rq-1") } == .nodeUntrusted)
  }

  @Test func refusesAStaleQuoteByThisMachinesClock() async throws {
    let machine = TestPKI()
    let node = Self.node(.tdx(machine, root: Self.root))
    let clock = TestClock(
      start: Date(timeIntervalSince1970: Double(machine.holdsUntil + 1)))
    let client = try MeroClient(
      node: NodeAddress(Self.remote), trust: .measurements([Self.image]), tokens: Fixture.tokens,
      carrier: { node }, clock: clock.clock(),
      verifier: Self.verifier())
    do throws(ConsentError) {
      _ = try await client.consentResult("rq-1")
      Issue.record("trusted")
    } catch {
      #expect(error.code == .nodeUntrusted)
      #expect(error.advice.contains("clock"))
    }
  }

  @Test func refusesMeasurementsThatAreNone() async {
    var short = Self.image
    short.rtmr1 = "a1"
    let cases: [(NodeTrust, String)] = [
      (.measurements([]), "node.trust.measurements"),
      (.measurements([Self.image, short]), "node.trust.measurements[1].rtmr1"),
      (.measurements([Self.image], tcb: []), "node.trust.tcb"),
      (.measurements([Self.image], tcb: ["UpToDate", "Revoked"]), "node.trust.tcb[1]"),
      (
        .measurements(Array(repeating: Self.image, count: 257)), "node.trust.measurements"
      ),
    ]
    for (trust, field) in cases {
      let error = await Self.ask(Self.node(), trust)
      #expect(error?.code == .requestInvalid)
      #expect(error?.field == field)
    }
    #expect(
      await Self.ask(
        Self.node(.tdx(TestPKI(), root: Self.root)),
        .measurements(Array(repeating: Self.image, count: 256))) == nil)
  }

  // MARK: Development

  @Test(arguments: [NodeTrust.development, .unconfigured])
  func trustsAMockQuoteOnLoopback(trust: NodeTrust) async {
    for url in ["http://127.0.0.1:4001", "http://[::1]:4001", "http://localhost:4001/node"] {
      #expect(await Self.ask(Self.node(), trust, at: url) == nil)
    }
  }

  @Test(arguments: [NodeTrust.development, .unconfigured])
  func refusesANodeElsewhereBeforeAnythingIsSent(trust: NodeTrust) async {
    for url in [Self.remote, "https://10.0.0.1", "https://localhost.example"] {
      let node = Self.node()
      #expect(await Self.ask(node, trust, at: url)?.code == .nodeUntrusted)
      #expect(await node.posts.isEmpty)
    }
  }

  @Test(arguments: [NodeTrust.development, .unconfigured])
  func refusesAMockThatAnswersAnotherQuestion(trust: NodeTrust) async {
    let wrong = Array("MOCK_TDX_QUOTE_V1".utf8) + [UInt8](repeating: 0, count: 239)
    for quote in [wrong, Array(wrong.prefix(80)), [], Array("no quote".utf8)] {
      let error = await Self.ask(
        Self.node(.bytes(quote)), trust, at: SealedClientTests.address)
      #expect(error?.code == .nodeUntrusted)
    }
  }
}
