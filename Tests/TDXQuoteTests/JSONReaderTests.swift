import Testing

@testable import TDXQuote

@Suite struct JSONReaderTests {
  private func skip(_ text: String) throws {
    var reader = try JSONReader(Array(text.utf8))
    try reader.skip()
    try reader.end()
  }

  @Test(arguments: [
    "{}", "[]", " [ ] ", "null", "true", "false", "0", "-0", "10", "1.5", "-1.5e-3", "1E+9",
    "\"\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"", "{\"a\":1,\"a\":[{},[]]}", "\t\r\n1\n",
    "\"ä\"",
    "\"\\ud83d\\ude00\"", "\"\u{7f}\"",
  ])
  func readsJSON(_ text: String) throws { try skip(text) }

  @Test(arguments: [
    "", " ", "{", "}", "[", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
    "{1:1}", "[1 2]", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "nul", "tru", "truee",
    "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
    "\"\\udc00\"", "\"\n\"", "\"\u{0}\"", "1 1", "[1]]", "{\"a\":1}}", "'a'", "\u{feff}1",
  ])
  func refusesWhatIsNone(_ text: String) {
    #expect(throws: JSONMismatch.self) { try skip(text) }
  }

  @Test(
    arguments: [[0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]]
      as [[UInt8]])
  func refusesWhatIsNotUTF8(_ bytes: [UInt8]) {
    #expect(throws: JSONMismatch.self) { try JSONReader(bytes) }
  }

  @Test func nestsSoDeepAndNoDeeper() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    try skip(nested(JSONReader.depthLimit))
    #expect(throws: JSONMismatch.self) { try skip(nested(JSONReader.depthLimit + 1)) }
    #expect(throws: JSONMismatch.self) { try skip(nested(100_000)) }
  }

  @Test func resolvesEscapes() throws {
    var reader = try JSONReader(Array("\"a\\n\\u00e4\\ud83d\\ude00\\/\"".utf8))
    #expect(try reader.text() == "a\nä😀/")
  }

  @Test(arguments: [("0", 0), ("7", 7), ("255", 255)])
  func readsIntegers(_ text: String, _ value: Int) throws {
    var reader = try JSONReader(Array(text.utf8))
    #expect(try reader.integer(upTo: 255) == value)
  }

  @Test(arguments: ["256", "-1", "-0", "1.0", "1e0", "99999999999999999999999", "\"1\"", "true"])
  func refusesOtherIntegers(_ text: String) throws {
    var reader = try JSONReader(Array(text.utf8))
    #expect(throws: JSONMismatch.self) { try reader.integer(upTo: 255) }
  }

  @Test func aRequiredFieldIsThereOnce() throws {
    var field = Required<Int>()
    #expect(throws: JSONMismatch.self) { try field.get() }
    try field.set(3)
    #expect(try field.get() == 3)
    #expect(throws: JSONMismatch.self) { try field.set(3) }
  }
}
