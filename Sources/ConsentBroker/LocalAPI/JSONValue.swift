/// One JSON value, as strictly as RFC 8259 allows it to be read.
///
/// `JSONDecoder` would take the last of two fields of one name without a word; here that is
/// malformed, so that nobody who reads the same bytes can see another request in them.
indirect enum JSONValue {
  case null
  case bool(Bool)
  /// As written. Valid by the grammar, not yet by anybody's range.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])
}

/// A name and its value. Names compare byte for byte: `==` on strings would normalize.
struct JSONMember {
  let name: String
  let value: JSONValue

  func isNamed(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
}

extension JSONValue {
  /// Writes the value again, for a decoder that takes bytes.
  var bytes: [UInt8] {
    var result: [UInt8] = []
    write(to: &result)
    return result
  }

  private func write(to result: inout [UInt8]) {
    switch self {
    case .null: result += "null".utf8
    case .bool(let flag): result += (flag ? "true" : "false").utf8
    case .number(let text): result += text.utf8
    case .string(let text): JSONText.append(text, to: &result)
    case .array(let items):
      result.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { result.append(UInt8(ascii: ",")) }
        item.write(to: &result)
      }
      result.append(UInt8(ascii: "]"))
    case .object(let members):
      result.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { result.append(UInt8(ascii: ",")) }
        JSONText.append(member.name, to: &result)
        result.append(UInt8(ascii: ":"))
        member.value.write(to: &result)
      }
      result.append(UInt8(ascii: "}"))
    }
  }
}
