import Crypto
import Testing

@Suite struct HexTests {
  @Test func encodesInLowerCase() {
    #expect(Hex.encode([0x00, 0x0f, 0xab, 0xff]) == "000fabff")
    #expect(Hex.encode([]) == "")
  }

  @Test func decodesEitherCase() {
    #expect(Hex.decode("00aBFf") == [0x00, 0xab, 0xff])
    #expect(Hex.decode("") == [])
  }

  @Test(arguments: ["0", "000", "0x00", "0g", "g0", " 00", "00\n", "٠٠", "00é"])
  func refusesAnythingElse(text: String) { #expect(Hex.decode(text) == nil) }
}

/// RFC 4648, section 10, and what a lax decoder would let through.
@Suite struct Base64Tests {
  static let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ]

  @Test(arguments: vectors) func agreesWithTheRFC(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
    let unpadded = encoded.filter { $0 != "=" }
    #expect(Base64URL.encode(Array(plain.utf8)) == unpadded)
    #expect(Base64URL.decode(unpadded) == Array(plain.utf8))
  }

  @Test func hasTwoAlphabets() {
    #expect(Base64.encode([0xfb, 0xff, 0xfe]) == "+//+")
    #expect(Base64URL.encode([0xfb, 0xff, 0xfe]) == "-__-")
    #expect(Base64.decode("-__-") == nil)
    #expect(Base64URL.decode("+//+") == nil)
  }

  @Test(arguments: [
    "Zg", "Zg=", "Zg===", "Z", "Z===", "====", "=", "Zm9v=", "Zm9v====", "Zg==Zg==", "Z=g=",
    "Zh==", "Zm9=", " Zm9v", "Zm9v\n", "Zm 9v", "Zm9v\0", "Zm9é",
  ])
  func refusesAnotherSpelling(text: String) { #expect(Base64.decode(text) == nil) }

  @Test(arguments: ["Zg==", "Zm8=", "Z", "Zh", "Zm9", "Zm9v\n", "Zm9vZ"])
  func refusesAnotherSpellingForURLs(text: String) { #expect(Base64URL.decode(text) == nil) }

  @Test(arguments: 0..<70) func decodesWhatItEncodes(count: Int) {
    let bytes = SecureRandom.bytes(count: count)
    #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
  }

  /// Each value has one spelling: what decodes is what its bytes encode to.
  @Test func decodesNothingThatItWouldNotWrite() {
    let signs = Array("AQgwZz09+/-_==\n é")
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...9, using: &generator)).compactMap { _ in
          signs.randomElement(using: &generator)
        })
      if let bytes = Base64.decode(text) { #expect(Base64.encode(bytes) == text) }
      if let bytes = Base64URL.decode(text) { #expect(Base64URL.encode(bytes) == text) }
    }
  }
}
