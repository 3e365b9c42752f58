import Crypto
import FoundationEssentials
import Sealed
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChannelTrustTests {
  @Test func sendsNothingWhereNothingIsConfigured() async throws {
    let fixture = await ChannelFixture(.nothing)
    let failure = await fixture.failure()
    #expect(failure == .untrusted(.nothingConfigured))
    #expect(failure?.meaning == .untrusted)
    #expect(await fixture.node.posts.isEmpty)
  }

  @Test func asksNoAttestationForAPinnedKey() async throws {
    let fixture = await ChannelFixture(.pinned)
    try await fixture.get()
    #expect(await fixture.node.count(.attest) == 0)
  }

  @Test func attestsOnceForManySessions() async throws {
    let fixture = await ChannelFixture(.attested)
    try await fixture.get("/a")
    await fixture.node.forgetKeys()
    try await fixture.get("/b")
    #expect(await fixture.node.count(.attest) == 1)
    #expect(await fixture.node.count(.handshake) == 2)
  }

  @Test func asksForAttestationWithAFreshNonceAndNothingElse() async throws {
    let fixture = await ChannelFixture(.attested)
    try await fixture.get()
    let call = try #require(await fixture.node.posts.first)
    #expect(call.path == "/admin-api/tee/attest")
    #expect(call.contentType == "application/json")
    let evidence = try #require(fixture.verifier.asked.first)
    #expect(evidence.nonce.count == 32)
    #expect(
      String(decoding: call.body, as: UTF8.self)
        == #"{"nonce":"\#(Hex.encode(evidence.nonce))","bindTransportKey":true,"#
        + #""includeCollateral":true}"#)
    #expect(
      evidence.reportData
        == TransportBinding.reportData(nonce: evidence.nonce, key: await fixture.node.transportKey))
    let other = await ChannelFixture(.attested)
    try await other.get()
    #expect(other.verifier.asked.first?.nonce != evidence.nonce)
  }

  @Test func givesTheVerifierTheWholeReply() async throws {
    struct Reply: Decodable {
      struct Evidence: Decodable { let collateral: [String: String] }
      let data: Evidence
    }
    let fixture = await ChannelFixture(.attested)
    try await fixture.get()
    let evidence = try #require(fixture.verifier.asked.first)
    let reply = try JSONDecoder().decode(Reply.self, from: Data(evidence.reply))
    #expect(reply.data.collateral.isEmpty)
  }

  @Test func sendsNothingToANodeThatTheVerifierRefuses() async throws {
    let fixture = await ChannelFixture(.attested)
    await fixture.node.next(.attest, .spoil(Self.replacing("quoteB64", with: #""AAAA""#)))
    let failure = await fixture.failure()
    #expect(
      failure == .untrusted(.attestation(AttestationRefusal(code: "report-data-mismatch"))))
    #expect(await fixture.node.posts.count == 1)
    try await fixture.get()
    #expect(await fixture.node.count(.attest) == 2, "a refused key is not kept")
  }

  struct BadReply: Sendable, CustomTestStringConvertible {
    let name: String
    let turn: FakeNode.Turn
    let error: SealedError
    var testDescription: String { name }
  }

  static let badReplies = [
    BadReply(
      name: "a node that predates sealing",
      turn: .spoil(replacing("transportPublicKey", with: nil)),
      error: .untrusted(.noTransportKey)),
    BadReply(
      name: "no key", turn: .spoil(replacing("transportPublicKey", with: "null")),
      error: .untrusted(.noTransportKey)),
    BadReply(
      name: "a key that is not hex",
      turn: .spoil(replacing("transportPublicKey", with: #""zz""#)),
      error: .untrusted(.malformedAttestation)),
    BadReply(
      name: "a key that is too short",
      turn: .spoil(replacing("transportPublicKey", with: #""00ff""#)),
      error: .untrusted(.malformedAttestation)),
    BadReply(
      name: "no quote", turn: .spoil(replacing("quoteB64", with: nil)),
      error: .untrusted(.malformedAttestation)),
    BadReply(
      name: "a quote that is not Base64",
      turn: .spoil(replacing("quoteB64", with: #""A-_=""#)),
      error: .untrusted(.malformedAttestation)),
    BadReply(
      name: "a sign-in page under 200",
      turn: .say(status: 200, contentType: "text/html", body: Array("<html>".utf8)),
      error: .foreignReply(status: 200)),
    BadReply(
      name: "no attestation at all", turn: .say(status: 404, contentType: nil, body: []),
      error: .foreignReply(status: 404)),
    BadReply(
      name: "an endless answer",
      turn: .spoil({ $0 + [UInt8](repeating: 32, count: 1 << 20) }),
      error: .foreignReply(status: 200)),
  ]

  @Test(arguments: badReplies) func trustsNoKey(from reply: BadReply) async throws {
    let fixture = await ChannelFixture(.attested)
    await fixture.node.setPieceSize(16_384)
    await fixture.node.next(.attest, reply.turn)
    #expect(await fixture.failure() == reply.error)
    #expect(fixture.verifier.asked.isEmpty)
    #expect(await fixture.node.count(.handshake) == 0)
  }

  @Test func readsAKeyInCapitals() async throws {
    let fixture = await ChannelFixture(.attested)
    let key = Hex.encode(await fixture.node.transportKey.bytes).uppercased()
    await fixture.node.next(
      .attest, .spoil(Self.replacing("transportPublicKey", with: "\"\(key)\"")))
    try await fixture.get()
  }

  /// The channel takes the key from nowhere else: a verifier that says yes to another key than
  /// the node has leads to a handshake that fails.
  @Test func aKeyOfSomebodyElseOpensNoSession() async throws {
    let node = FakeNode()
    let pinned = X25519.PrivateKey().publicKey
    let channel = SealedChannel(
      on: node, carrier: node, trust: .pinned(pinned), clock: ManualClock().sealed)
    await #expect(throws: SealedError.untrusted(.pinnedKeyStale)) {
      try await channel.send(SealedRequest(method: "GET", path: "/"))
    }
    #expect(await node.ran.isEmpty)
  }

  @Test func trustsNoLowOrderKey() async throws {
    let node = FakeNode()
    let zero = try X25519.PublicKey([UInt8](repeating: 0, count: 32))
    let channel = SealedChannel(
      on: node, carrier: node, trust: .pinned(zero), clock: ManualClock().sealed)
    await #expect(throws: SealedError.untrusted(.lowOrderPoint)) {
      try await channel.send(SealedRequest(method: "GET", path: "/"))
    }
    #expect(await node.posts.isEmpty)
  }

  /// Changes one member of the reply's data, or takes it out.
  private static func replacing(
    _ name: String, with value: String?
  ) -> @Sendable ([UInt8]) -> [UInt8] {
    { reply in
      let text = String(decoding: reply, as: UTF8.self)
      guard let start = text.firstRange(of: "\"\(name)\":\""),
        let end = text[start.upperBound...].firstIndex(of: "\"")
      else { return [] }
      let member = value.map { "\"\(name)\":\($0)" } ?? "\"other\":0"
      return Array((text[..<start.lowerBound] + member + text[text.index(after: end)...]).utf8)
    }
  }
}
