import Testing

@testable import mero_consent

@Suite struct NearestTests {
  @Test(arguments: [
    ("ttl-sec", "ttl-secs"), ("ttlsecs", "ttl-secs"), ("TTL_SECS", "ttl-secs"),
    ("al-apps", "all-apps"), ("lal-apps", "all-apps"), ("all", "all-apps"),
  ])
  func findsTheWordThatWasMeant(_ text: String, _ word: String) {
    #expect(Nearest.word(to: text, of: ["org", "ttl-secs", "all-apps", "uses"]) == word)
  }

  @Test(arguments: ["", "colour", "x", String(repeating: "a", count: 65)])
  func saysNothingWhereNothingIsNear(_ text: String) {
    #expect(Nearest.word(to: text, of: ["org", "ttl-secs", "all-apps", "uses"]) == nil)
  }

  @Test func aSwapIsOneStep() {
    #expect(Nearest.distance(Array("ab".utf8), Array("ba".utf8)) == 1)
    #expect(Nearest.distance(Array("".utf8), Array("abc".utf8)) == 3)
    #expect(Nearest.distance(Array("kitten".utf8), Array("sitting".utf8)) == 3)
  }
}
