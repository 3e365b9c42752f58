/// A query, read once by the rule of forms: split on `&` and the first `=`, `+` is a space, then
/// percent-decoded exactly once, as UTF-8.
package enum FormQuery {
  /// A `%` without two hex digits, or bytes that are no UTF-8.
  package struct Malformed: Error {}

  /// The pairs in their order; a name without `=` has an empty value. Empty pieces are skipped.
  package static func pairs(
    in query: some Collection<UInt8>
  ) throws(Malformed) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for piece in query.split(separator: UInt8(ascii: "&")) {
      let halves = piece.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = try decoded(halves[0], plusIsSpace: true)
      let value = halves.count > 1 ? try decoded(halves[1], plusIsSpace: true) : ""
      pairs.append((name, value))
    }
    return pairs
  }

  /// Percent-decodes once. In a path, `+` is a plus.
  static func decoded(
    _ text: some Collection<UInt8>, plusIsSpace: Bool
  ) throws(Malformed) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = text.startIndex
    while index != text.endIndex {
      let byte = text[index]
      text.formIndex(after: &index)
      switch byte {
      case UInt8(ascii: "+") where plusIsSpace:
        bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        var value: UInt8 = 0
        for _ in 0..<2 {
          guard index != text.endIndex, let digit = hexDigit(text[index]) else { throw Malformed() }
          value = value << 4 | digit
          text.formIndex(after: &index)
        }
        bytes.append(value)
      default:
        bytes.append(byte)
      }
    }
    guard let string = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
    return string
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Ids are opaque bytes. Swift's `==` on texts calls different bytes equal (`é` has two
/// spellings), so it must not compare them.
package func sameBytes(_ left: String, _ right: String) -> Bool {
  left.utf8.elementsEqual(right.utf8)
}

/// One segment of a path: everything but RFC 3986's unreserved characters as `%XX`, upper-case.
package func percentEncodedSegment(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var bytes: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      bytes.append(byte)
    default:
      bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
