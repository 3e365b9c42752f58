import Crypto
import DevelopmentNode
import Sealed
import Testing

@Suite struct AttestationTests {
  private let key = X25519.PrivateKey().publicKey
  private let nonce = [UInt8](0..<32)

  private func attest(_ more: String = "", _ misbehaviour: Misbehaviour? = nil) throws -> APIAnswer
  {
    var plan = MisbehaviourPlan()
    if let misbehaviour { try plan.add(misbehaviour) }
    let body = #"{"nonce":"\#(Hex.encode(nonce))"\#(more)}"#
    return Attestation.answer(
      Array(body.utf8), key: key, acts: plan.take([.answer], on: .attest))
  }

  private func quote(_ answer: APIAnswer) throws -> [UInt8] {
    try #require(answer.json?["data"]?["quoteB64"]?.string.flatMap { Base64.decode($0) })
  }

  private let binding = #","bindTransportKey":true,"includeCollateral":true"#

  @Test func aMockQuoteBindsTheTransportKey() throws {
    let answer = try attest(binding)
    let quote = try quote(answer)
    #expect(quote.count == 256)
    #expect(quote.starts(with: "MOCK_TDX_QUOTE_V1".utf8))
    #expect(Array(quote[17..<81]) == TransportBinding.reportData(nonce: nonce, key: key))
    #expect(quote[81...].allSatisfy { $0 == 0 })
    #expect(answer.json?["data"]?["transportPublicKey"]?.string == Hex.encode(key.bytes))
    #expect(answer.json?["data"]?["collateral"] == [:])
  }

  @Test func anApplicationIsBoundByItsHash() throws {
    let quote = try quote(attest(binding + #","applicationId":"notes""#))
    let inner = SHA256.hash(Array("notes".utf8))
    let right = TransportBinding.reportData(nonce: nonce, inner: inner, key: key)
    #expect(Array(quote[17..<81]) == right)
  }

  @Test func bindsAndReportsNothingUnlessAsked() throws {
    let answer = try attest()
    #expect(Array(try quote(answer)[17..<81]) == nonce + [UInt8](repeating: 0, count: 32))
    #expect(answer.json?["data"]?["transportPublicKey"] == nil)
    #expect(answer.json?["data"]?["collateral"] == nil)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"nonce":"00"}"#, #"{"nonce":7}"#,
    #"{"nonce":"\#(String(repeating: "0", count: 64))","more":1}"#,
  ])
  func refusesWhatARealNodeRefuses(_ body: String) {
    #expect(Attestation.answer(Array(body.utf8), key: key).status == 400)
  }

  @Test(arguments: [Misbehaviour.wrongQuote, .wrongBinding, .wrongNonce])
  func aWrongQuoteDoesNotBindTheKey(_ misbehaviour: Misbehaviour) throws {
    let answer = try attest(binding, misbehaviour)
    let right = TransportBinding.reportData(nonce: nonce, key: key)
    #expect(Array(try quote(answer)[17..<81]) != right)
    #expect(answer.json?["data"]?["transportPublicKey"]?.string == Hex.encode(key.bytes))
  }

  @Test func anotherKeyThanTheQuotesCanBeReported() throws {
    let reported = try attest(binding, .otherKey).json?["data"]?["transportPublicKey"]?.string
    #expect(reported?.count == 64)
    #expect(reported != Hex.encode(key.bytes))
  }

  @Test func anOldNodeReportsNoKey() throws {
    let data = try attest(binding, .noTransportKey).json?["data"]
    #expect(data?["quoteB64"] != nil)
    #expect(data?["transportPublicKey"] == nil)
  }
}
