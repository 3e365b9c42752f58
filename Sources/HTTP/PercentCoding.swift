/// Percent-encoding (RFC 3986, section 2.1): decoded exactly once, strictly, or not at all.
package enum PercentCoding {
  /// `nil` when a `%` is not followed by two hexadecimal digits.
  package static func decode(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.underestimatedCount)
    var input = bytes.makeIterator()
    while let byte = input.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = input.next().flatMap(HTTPBytes.hexValue),
          let low = input.next().flatMap(HTTPBytes.hexValue)
        else { return nil }
        result.append(high << 4 | low)
      } else {
        result.append(plusIsSpace && byte == UInt8(ascii: "+") ? HTTPBytes.space : byte)
      }
    }
    return result
  }

  /// `nil` when an escape is broken or the bytes are no UTF-8. Compare the result by its `utf8`:
  /// `==` on strings normalizes.
  package static func decodeText(
    _ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false
  ) -> String? {
    decode(bytes, plusIsSpace: plusIsSpace).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Escapes everything that is not unreserved (RFC 3986, section 2.3), so that the result is one
  /// path segment, or one name or value of a query.
  package static func encode(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if HTTPBytes.isAlphanumeric(byte) || "-._~".utf8.contains(byte) {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)
}
