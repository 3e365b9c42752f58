import Crypto
import Testing

/// RFC 7748, sections 5.2 and 6.1.
@Suite struct X25519Tests {
  struct Vector: Sendable {
    let scalar: String
    let point: String
    let result: String
  }

  static let vectors = [
    Vector(
      scalar: "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
      point: "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
      result: "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"),
    // The highest bit of the point is set, and must be ignored.
    Vector(
      scalar: "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
      point: "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
      result: "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"),
  ]

  @Test(arguments: vectors) func agreesWithTheRFC(vector: Vector) throws {
    let key = try X25519.PrivateKey(raw: Secret(copying: octets(vector.scalar)))
    let shared = bytes(of: try key.agree(with: X25519.PublicKey(octets(vector.point))))
    #expect(Hex.encode(shared) == vector.result)
  }

  @Test func givesBothSidesTheSecretOfTheRFC() throws {
    let alice = try X25519.PrivateKey(
      raw: Secret(
        copying: octets("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")))
    let bob = try X25519.PrivateKey(
      raw: Secret(
        copying: octets("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")))
    let keys = (Hex.encode(alice.publicKey.bytes), Hex.encode(bob.publicKey.bytes))
    #expect(
      keys.0
        == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    #expect(
      keys.1
        == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    let secret = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
    let (aliceKey, bobKey) = (alice.publicKey, bob.publicKey)
    let shared = (
      bytes(of: try alice.agree(with: bobKey)), bytes(of: try bob.agree(with: aliceKey))
    )
    #expect(Hex.encode(shared.0) == secret)
    #expect(Hex.encode(shared.1) == secret)
  }

  @Test func makesAFreshKeyEachTime() {
    let (first, second) = (X25519.PrivateKey().publicKey, X25519.PrivateKey().publicKey)
    #expect(first != second)
  }

  /// Every point of small order, the twist's and the spellings over the prime included.
  @Test(arguments: [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  ])
  func refusesALowOrderPoint(point: String) throws {
    let key = X25519.PrivateKey()
    let peer = try X25519.PublicKey(octets(point))
    #expect(throws: CryptoError.lowOrderPoint) { _ = try key.agree(with: peer) }
  }

  @Test(arguments: [0, 31, 33]) func refusesAKeyOfAnotherLength(count: Int) {
    let raw = [UInt8](repeating: 9, count: count)
    #expect(throws: CryptoError.keyLength) { try X25519.PublicKey(raw) }
    #expect(throws: CryptoError.keyLength) {
      _ = try X25519.PrivateKey(raw: Secret(copying: raw)).publicKey
    }
  }
}
