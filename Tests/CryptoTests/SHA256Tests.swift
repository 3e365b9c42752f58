import Crypto
import Testing

/// Examples of NIST for FIPS 180-4, and RFC 4231 for HMAC.
@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func agreesWithTheStandard(message: String, digest: String) {
    #expect(Hex.encode(SHA256.hash(Array(message.utf8))) == digest)
  }

  @Test func hashesPiecesLikeTheWhole() {
    let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    var hasher = SHA256()
    for piece in [0..<1, 1..<64, 64..<64, 64..<65, 65..<1000] { hasher.update(message[piece]) }
    #expect(hasher.finish() == SHA256.hash(message))
  }

  @Test func oneContextHashesOneMessageAfterAnother() {
    var hasher = SHA256()
    for count in [0, 43, 64, 0, 55, 56, 1000] {
      let message = [UInt8](repeating: UInt8(count % 251), count: count)
      #expect(digest(message, &hasher) == SHA256.hash(message))
    }
    // What was fed before and not finished is none of it.
    hasher.update([1, 2, 3])
    #expect(digest([4], &hasher) == SHA256.hash([4]))
  }

  private func digest(_ message: [UInt8], _ hasher: inout SHA256) -> [UInt8] {
    let digest = message.withUnsafeBufferPointer { hasher.hash($0) }
    return digest.indices.map { digest[$0] }
  }

  @Test func hashesWhatIsNotContiguous() {
    #expect(SHA256.hash(repeatElement(7, count: 3)) == SHA256.hash([7, 7, 7]))
    #expect(SHA256.hash([1, 2, 3].reversed()) == SHA256.hash([3, 2, 1]))
  }
}

@Suite struct HMACTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let key: String
    let message: String
    let code: String
    var testDescription: String { name }
  }

  static let vectors = [
    Vector(
      name: "RFC 4231, case 1", key: String(repeating: "0b", count: 20),
      message: "4869205468657265",
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      name: "RFC 4231, case 2", key: "4a656665",
      message: "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      name: "RFC 4231, case 3", key: String(repeating: "aa", count: 20),
      message: String(repeating: "dd", count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      name: "RFC 4231, case 6: a key longer than a block",
      key: String(repeating: "aa", count: 131),
      message: """
        54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a
        65204b6579202d2048617368204b6579204669727374
        """,
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
  ]

  @Test(arguments: vectors) func agreesWithTheRFC(vector: Vector) throws {
    let key = Secret(copying: try octets(vector.key))
    let message = Secret(copying: try octets(vector.message))
    let code = bytes(of: HMACSHA256.code(for: message, key: key))
    #expect(Hex.encode(code) == vector.code)
  }
}

@Suite struct HKDFTests {
  /// RFC 5869, test case 3, the one without salt and info: 42 bytes of its output.
  @Test func agreesWithTheRFC() throws {
    var chainingKey = Secret(copying: [])
    let input = Secret(copying: [UInt8](repeating: 0x0b, count: 22))
    let second = HKDF.advance(&chainingKey, input: input)
    let output = bytes(of: chainingKey) + bytes(of: second)
    #expect(
      Hex.encode(output.prefix(42))
        == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
        + "9d201395faa4b61a96c8")
  }

  @Test func takesNoInput() {
    var chainingKey = Secret(copying: [1, 2, 3])
    let second = HKDF.advance(&chainingKey, input: Secret(copying: []))
    let (first, other) = (bytes(of: chainingKey), bytes(of: second))
    #expect(first.count == 32)
    #expect(other.count == 32)
    #expect(first != other)
  }
}
