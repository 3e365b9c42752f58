/// Base64 (RFC 4648, section 4): padded, and strict about it.
package enum Base64 {
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    Base64Alphabet.standard.encode(bytes, padded: true)
  }

  /// The bytes of `text`; `nil` for white space, missing or extra padding, another alphabet, or
  /// bits behind the last byte that are not zero: each value has one spelling.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    Base64Alphabet.standard.decode(text, padded: true)
  }
}

/// Base64 for URLs and file names (RFC 4648, section 5), without padding.
package enum Base64URL {
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    Base64Alphabet.forURLs.encode(bytes, padded: false)
  }

  /// As strict as `Base64.decode`, and refuses padding.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    Base64Alphabet.forURLs.decode(text, padded: false)
  }
}

private struct Base64Alphabet: Sendable {
  static let standard = Base64Alphabet(last: "+/")
  static let forURLs = Base64Alphabet(last: "-_")

  private static let padding = UInt8(ascii: "=")
  private let digits: [UInt8]
  /// The value of each ASCII character, `nil` where it is no digit.
  private let values: [UInt8?]

  private init(last: String) {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    digits = Array((letters + last).utf8)
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    self.values = values
  }

  func encode(_ bytes: some Collection<UInt8>, padded: Bool) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var (bits, width): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      width += 8
      while width >= 6 {
        width -= 6
        text.append(digits[Int(bits >> width & 0x3f)])
      }
    }
    if width > 0 { text.append(digits[Int(bits << (6 - width) & 0x3f)]) }
    while padded, !text.count.isMultiple(of: 4) { text.append(Self.padding) }
    return String(decoding: text, as: UTF8.self)
  }

  func decode(_ text: some StringProtocol, padded: Bool) -> [UInt8]? {
    var digits = Array(text.utf8)
    if padded {
      guard digits.count.isMultiple(of: 4) else { return nil }
      for _ in 0..<2 where digits.last == Self.padding { digits.removeLast() }
    }
    // One digit alone holds six bits, which is no byte.
    guard digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var (bits, width): (UInt32, UInt32) = (0, 0)
    for digit in digits {
      guard let value = values[Int(digit)] else { return nil }
      bits = bits << 6 | UInt32(value)
      width += 6
      if width >= 8 {
        width -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> width))
      }
    }
    guard bits & (1 << width - 1) == 0 else { return nil }
    return bytes
  }
}
