import Testing

@testable import quote_cases

@Suite struct EditsTests {
  private func edit(
    _ op: String, offset: Int? = nil, mask: String? = nil, hex: String? = nil, length: Int? = nil
  ) -> QuoteEdit {
    QuoteEdit(op: op, offset: offset, mask: mask, hex: hex, length: length)
  }

  private static let start: [UInt8] = [1, 2, 3, 4]

  @Test func xorFlipsTheMaskedBits() throws {
    var bytes = Self.start
    try edit("xor", offset: 2, mask: "80ff").apply(to: &bytes)
    #expect(bytes == [1, 2, 0x83, 0xfb])
  }

  @Test func putOverwritesInPlace() throws {
    var bytes = Self.start
    try edit("put", offset: 1, hex: "aabb").apply(to: &bytes)
    #expect(bytes == [1, 0xaa, 0xbb, 4])
  }

  @Test func truncateKeepsSoManyBytes() throws {
    var bytes = Self.start
    try edit("truncate", length: 1).apply(to: &bytes)
    #expect(bytes == [1])
  }

  @Test func appendAddsAtTheEnd() throws {
    var bytes = Self.start
    try edit("append", hex: "05").apply(to: &bytes)
    #expect(bytes == [1, 2, 3, 4, 5])
  }

  @Test func editsThatDoNotFitAreProblemsOfTheCase() {
    for bad in [
      edit("xor", offset: 3, mask: "ffff"), edit("put", offset: 5, hex: ""),
      edit("put", offset: -1, hex: "00"), edit("truncate", length: 5), edit("append", hex: "0"),
      edit("swap"),
    ] {
      var bytes = Self.start
      #expect(throws: CaseProblem.self) { try bad.apply(to: &bytes) }
    }
  }

  private func collateralEdit(_ op: String, _ field: String) -> CollateralEdit {
    CollateralEdit(
      op: op, field: field, value: .integer(12), from: nil, find: "aa", with: "b", offset: 0,
      mask: "01", hex: nil, length: nil)
  }

  @Test(
    arguments: [
      ("remove", "text", nil), ("set", "text", .integer(12)),
      ("replaceText", "text", .string("b aa")),
      ("asBytes", "bytes", .array([.integer(0), .integer(255)])), ("xor", "bytes", .string("01ff")),
      ("xor", "numbers", .string("0609")),
    ] as [(String, String, JSONValue?)])
  func collateralEditsChangeOneField(op: String, field: String, result: JSONValue?) throws {
    var collateral: [String: JSONValue] = [
      "text": .string("aa aa"), "bytes": .string("00ff"),
      "numbers": .array([.integer(7), .integer(9)]),
    ]
    let untouched = collateral.filter { $0.key != field }
    var data = DataDirectory(path: "/nonexistent")
    try collateralEdit(op, field).apply(to: &collateral, data: &data)
    #expect(collateral[field] == result)
    #expect(collateral.filter { $0.key != field } == untouched)
  }
}
