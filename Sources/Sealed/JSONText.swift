/// Compact JSON in the order in which it is written: the head inside an envelope is compared byte
/// for byte with other implementations, and `JSONEncoder` promises no order without sorting.
enum JSONText {
  /// Escapes what JSON demands, and nothing else; control characters the short way where there
  /// is one.
  static func string(_ text: String) -> [UInt8] {
    var out: [UInt8] = [quote]
    out.reserveCapacity(text.utf8.count + 2)
    for byte in text.utf8 {
      switch byte {
      case quote, UInt8(ascii: "\\"): out += [UInt8(ascii: "\\"), byte]
      case 0x08: out += Array("\\b".utf8)
      case 0x09: out += Array("\\t".utf8)
      case 0x0a: out += Array("\\n".utf8)
      case 0x0c: out += Array("\\f".utf8)
      case 0x0d: out += Array("\\r".utf8)
      case 0..<0x10: out += Array("\\u000\(String(byte, radix: 16))".utf8)
      case 0x10..<0x20: out += Array("\\u00\(String(byte, radix: 16))".utf8)
      default: out.append(byte)
      }
    }
    out.append(quote)
    return out
  }

  static func array(_ items: [[UInt8]]) -> [UInt8] { enclosed("[", items, "]") }

  static func object(_ members: [(name: String, value: [UInt8])]) -> [UInt8] {
    enclosed("{", members.map { string($0.name) + [UInt8(ascii: ":")] + $0.value }, "}")
  }

  private static let quote = UInt8(ascii: "\"")

  private static func enclosed(
    _ opening: String, _ items: [[UInt8]], _ closing: String
  ) -> [UInt8] {
    Array(opening.utf8) + Array(items.joined(separator: [UInt8(ascii: ",")])) + Array(closing.utf8)
  }
}
