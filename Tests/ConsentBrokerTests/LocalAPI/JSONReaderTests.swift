import Testing

@testable import ConsentBroker

@Suite struct JSONReaderTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "12", "-1.5", "1e9", "1E+2", "0.5e-3", "\"\"", "[]", "{}",
    "[1,2]", "{\"a\":1}", "{\"a\":{\"b\":[null]}}", "\"\u{1F511}\"", "{\"\":0}",
  ]) func writesWhatItReads(_ text: String) throws {
    #expect(try String(decoding: JSONReader.read(Array(text.utf8)).bytes, as: UTF8.self) == text)
  }

  @Test(arguments: [
    (" \t\r\n[ 1 , 2 ] \n", "[1,2]"),
    ("{ \"a\" : 1 }", "{\"a\":1}"),
    (#""\u0041\n\/\"\\""#, "\"A\\n/\\\"\\\\\""),
    (#""\ud83d\udd11""#, "\"\u{1F511}\""),
    (#""\u0000""#, #""\u0000""#),
    (#""\b\f\r\t""#, #""\b\f\r\t""#),
  ]) func readsBlanksAndEscapes(_ text: String, _ canonical: String) throws {
    #expect(
      try String(decoding: JSONReader.read(Array(text.utf8)).bytes, as: UTF8.self) == canonical)
  }

  @Test(arguments: [
    "", " ", "nul", "nullx", "True", "NaN", "Infinity", "01", "-", "+1", "1.", ".5", "1e", "0x10",
    "'a'", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u123g\"", "\"\n\"", "\"\u{0}\"",
    "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "{a:1}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
    "{\"a\":1", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{} {}", "1 2", "\u{FEFF}{}", "// x\n{}",
    "{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}", "{\"x\":{\"a\":1,\"a\":2}}",
    #""\ud83d""#, #""\ud83dx""#, #""\ud83dA""#, #""\udd11""#, #""\ud83d\ud83d""#,
  ]) func refusesWhatIsNotJSON(_ text: String) {
    #expect(throws: JSONReader.Malformed.self) { try JSONReader.read(Array(text.utf8)) }
  }

  @Test func refusesBytesThatAreNotUTF8() {
    #expect(throws: JSONReader.Malformed.self) { try JSONReader.read([0x22, 0xFF, 0x22]) }
    #expect(throws: JSONReader.Malformed.self) { try JSONReader.read([0x22, 0xC0, 0x80, 0x22]) }
    #expect(throws: JSONReader.Malformed.self) {
      try JSONReader.read([0x22, 0xED, 0xA0, 0x80, 0x22])
    }
  }

  @Test func namesThatLookAlikeAreTwo() throws {
    // U+212A is the kelvin sign, which `==` takes for a K.
    let value = try JSONReader.read(Array("{\"K\":1,\"\u{212A}\":2}".utf8))
    guard case .object(let members) = value else { return #expect(Bool(false)) }
    #expect(members.map { $0.isNamed("K") } == [true, false])
  }

  @Test func nestsSoDeepAndNoDeeper() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    _ = try JSONReader.read(nested(JSONReader.maximumDepth))
    #expect(throws: JSONReader.Malformed.self) {
      try JSONReader.read(nested(JSONReader.maximumDepth + 1))
    }
    #expect(throws: JSONReader.Malformed.self) { try JSONReader.read(nested(500_000)) }
  }

  @Test func takesSoManyNamesAndNoMore() throws {
    func object(_ count: Int) -> [UInt8] {
      Array(("{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}").utf8)
    }
    _ = try JSONReader.read(object(JSONReader.maximumMembers))
    #expect(throws: JSONReader.Malformed.self) {
      try JSONReader.read(object(JSONReader.maximumMembers + 1))
    }
  }

  @Test func takesSoManyValuesAndNoMore() throws {
    func array(_ count: Int) -> [UInt8] {
      Array(("[" + Array(repeating: "1", count: count - 1).joined(separator: ",") + "]").utf8)
    }
    _ = try JSONReader.read(array(JSONReader.maximumValues))
    #expect(throws: JSONReader.Malformed.self) {
      try JSONReader.read(array(JSONReader.maximumValues + 1))
    }
  }

  @Test func saysWhereItStopped() {
    #expect(throws: JSONReader.Malformed(offset: 7, complaint: "")) {
      try JSONReader.read(Array("{\"a\":1 \"b\":2}".utf8))
    }
  }
}
