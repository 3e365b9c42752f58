/// One value of DER (ITU-T X.690): its tag and its contents, as parts of the input.
package struct DERElement: Equatable, Sendable {
  /// The identifier octet; only tags below 31 are read.
  package let tag: UInt8
  package let contents: ArraySlice<UInt8>
  /// Identifier, length and contents.
  package let encoding: ArraySlice<UInt8>

  package var isConstructed: Bool { tag & 0x20 != 0 }
}

/// The identifier octets that certificates, revocation lists and signatures are made of.
package enum DERTag {
  package static let boolean: UInt8 = 0x01
  package static let integer: UInt8 = 0x02
  package static let bitString: UInt8 = 0x03
  package static let octetString: UInt8 = 0x04
  package static let objectIdentifier: UInt8 = 0x06
  package static let utcTime: UInt8 = 0x17
  package static let generalizedTime: UInt8 = 0x18
  package static let sequence: UInt8 = 0x30
}

/// Reads DER values one after the other, without copying and without believing a length.
///
/// Stricter than OpenSSL, which also reads BER: lengths are definite and as short as can be.
package struct DERReader {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  package var isAtEnd: Bool { rest.isEmpty }

  /// - Returns: `nil` at the end, and when what follows is no whole value.
  package mutating func next() -> DERElement? {
    var ahead = rest
    guard let tag = ahead.popFirst(), tag & 0x1f != 0x1f,
      let length = Self.length(&ahead), length <= ahead.count
    else { return nil }
    let contents = ahead.prefix(length)
    let encoding = rest[rest.startIndex..<contents.endIndex]
    rest = rest[contents.endIndex...]
    return DERElement(tag: tag, contents: contents, encoding: encoding)
  }

  /// - Returns: `nil` too when the next value has another tag.
  package mutating func next(_ tag: UInt8) -> DERElement? {
    guard rest.first == tag else { return nil }
    return next()
  }

  /// At most three octets: nothing that is read here is longer than 16 MiB.
  private static func length(_ bytes: inout ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.popFirst() else { return nil }
    if first < 0x80 { return Int(first) }
    let count = Int(first & 0x7f)
    guard (1...3).contains(count), count <= bytes.count else { return nil }
    let length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    bytes = bytes.dropFirst(count)
    // The shortest form is the only one.
    guard length >= (count == 1 ? 0x80 : 1 << (8 * (count - 1))) else { return nil }
    return length
  }
}

package enum DER {
  /// Whether `bytes` are exactly one value, whole down to its leaves.
  ///
  /// A parser that allocates for each value is only given what passes: nesting and number are
  /// bounded here, at no cost in memory.
  package static func isOneValue(
    _ bytes: ArraySlice<UInt8>, depthLimit: Int, valueLimit: Int
  ) -> Bool {
    var reader = DERReader(bytes)
    var valuesLeft = valueLimit - 1
    guard valuesLeft >= 0, let element = reader.next(), reader.isAtEnd else { return false }
    return isWhole(element, depthLimit: depthLimit, valuesLeft: &valuesLeft)
  }

  private static func isWhole(
    _ element: DERElement, depthLimit: Int, valuesLeft: inout Int
  ) -> Bool {
    guard element.isConstructed else { return true }
    guard depthLimit > 0 else { return false }
    var reader = DERReader(element.contents)
    while !reader.isAtEnd {
      valuesLeft -= 1
      guard valuesLeft >= 0, let child = reader.next(),
        isWhole(child, depthLimit: depthLimit - 1, valuesLeft: &valuesLeft)
      else { return false }
    }
    return true
  }

  /// The number in the contents of an INTEGER, or `nil` when it is negative, above `limit`, or
  /// not in its shortest form.
  package static func unsigned(_ contents: ArraySlice<UInt8>, upTo limit: Int) -> Int? {
    guard let first = contents.first, first < 0x80, contents.count <= 5 else { return nil }
    if first == 0, let second = contents.dropFirst().first, second < 0x80 { return nil }
    let value = contents.reduce(0) { $0 << 8 | Int($1) }
    return value <= limit ? value : nil
  }
}
