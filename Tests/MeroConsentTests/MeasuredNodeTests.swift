import DevelopmentNode
import EventLoop
import FoundationEssentials
import MeroConsent
import TDXQuote
import TestPKI
import Testing

/// The whole path without hardware: a development node on loopback that attests with a quote chain
/// of the tests' own, and a client that trusts images.
@Suite(.timeLimit(.minutes(2))) @LoopActor struct MeasuredNodeTests {
  private let node: DevelopmentNode
  private let machine: TestPKI
  private let rootDER: [UInt8]

  init() throws {
    let machine = TestPKI(now: WallInstant.now.nanoseconds / 1_000_000_000)
    let rootDER = machine.root.der()
    node = try DevelopmentNode()
    node.attestation = { reportData in
      var machine = machine
      machine.quote.reportData = reportData
      let evidence = machine.evidence(rootDER: rootDER)
      return Attestation.Evidence(
        quote: evidence.quote, collateral: evidence.collateralJSON)
    }
    node.start()
    self.machine = machine
    self.rootDER = rootDER
  }

  private var address: String { "http://127.0.0.1:\(node.port)" }

  private var tokens: SessionTokens {
    SessionTokens(accessToken: node.tokens.access, refreshToken: node.tokens.refresh)
  }

  /// Over libcurl, by the machine's clock; only the root is the tests' own.
  private func client(_ trust: NodeTrust) throws -> MeroClient {
    let address = try NodeAddress(address)
    let anchor = try #require(TrustAnchor(der: rootDER))
    return try MeroClient(
      node: address, trust: trust, tokens: tokens,
      carrier: { CurlCarrier(node: address, limits: CarrierLimits()) }, clock: .system,
      verifier: QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor))
  }

  @Test func aRequestIsAskedDecidedAndConfirmed() async throws {
    let client = try client(.measurements([NodeTrustTests.image]))
    let started = try await client.requestConsent(.createOrg(name: "Acme"))
    try node.decide(started.requestId, .approve)
    let result = try await client.confirmConsentReturn(
      started, returned: "mero://return?request_id=\(started.requestId)")
    #expect(result.status == .approved)
    let told = try #require(await client.attestation)
    #expect(told.tcbStatus == "UpToDate" && !told.isMock)
    #expect(abs(told.verifiedAt.timeIntervalSinceNow) < 600)
    await client.close()
    await node.stop()
  }

  @Test func aRestartedNodeIsAttestedAgain() async throws {
    let client = try client(.measurements([NodeTrustTests.image]))
    let started = try await client.requestConsent(.createOrg(name: "Acme"))
    let first = try #require(await client.attestation)
    node.restart()
    #expect(try await client.consentResult(started.requestId).status == .pending)
    let second = try #require(await client.attestation)
    #expect(second.verifiedAt > first.verifiedAt)
    await client.close()
    await node.stop()
  }

  @Test(arguments: [Misbehaviour.wrongQuote, .wrongBinding, .wrongNonce, .otherKey])
  func aNodeThatLiesIsRefused(_ lie: Misbehaviour) async throws {
    let client = try client(.measurements([NodeTrustTests.image]))
    try node.misbehave(lie)
    #expect(await code { try await client.consentResult("rq-1") } == .nodeUntrusted)
    await client.close()
    await node.stop()
  }

  @Test func anotherImageIsRefused() async throws {
    let client = try client(.measurements([NodeTrustTests.otherImage]))
    #expect(await code { try await client.consentResult("rq-1") } == .nodeUntrusted)
    #expect(await client.attestation == nil)
    await client.close()
    await node.stop()
  }

  /// The client as an app makes it: no root but Intel's counts, however sound everything else is.
  @Test func aProgramTrustsNoRootOfTheTests() async throws {
    let client = try MeroClient(
      node: NodeAddress(address), trust: .measurements([NodeTrustTests.image]), tokens: tokens)
    do throws(ConsentError) {
      _ = try await client.consentResult("rq-1")
      Issue.record("trusted")
    } catch {
      #expect(error.code == .nodeUntrusted)
      #expect(error.advice.contains("root-crl-invalid"))
    }
    await client.close()
    await node.stop()
  }

  @Test func aQuoteOfAMachineIsNoMock() async throws {
    let client = try MeroClient(node: NodeAddress(address), trust: .development, tokens: tokens)
    #expect(await code { try await client.consentResult("rq-1") } == .nodeUntrusted)
    await client.close()
    await node.stop()
  }
}
