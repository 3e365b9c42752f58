import Crypto

/// Writes DER: what the tests' certificates, lists and extensions are made of. It writes what it is
/// told to, also what no CA would.
enum DERText {
  static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    [tag] + length(contents.count) + contents
  }

  static func sequence(_ parts: [UInt8]...) -> [UInt8] {
    value(DERTag.sequence, Array(parts.joined()))
  }

  static func set(_ parts: [UInt8]...) -> [UInt8] { value(0x31, Array(parts.joined())) }

  /// `[number] EXPLICIT`.
  static func explicit(_ number: UInt8, _ contents: [UInt8]) -> [UInt8] {
    value(0xa0 | number, contents)
  }

  static func integer(_ number: Int) -> [UInt8] {
    var digits: [UInt8] = []
    var rest = number
    repeat {
      digits.insert(UInt8(rest & 0xff), at: 0)
      rest >>= 8
    } while rest > 0
    return integer(digits)
  }

  /// An unsigned number, big endian.
  static func integer(_ digits: [UInt8]) -> [UInt8] {
    var digits = Array(digits.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return value(DERTag.integer, digits)
  }

  static func boolean(_ flag: Bool) -> [UInt8] { value(DERTag.boolean, [flag ? 0xff : 0]) }

  static func octets(_ bytes: [UInt8]) -> [UInt8] { value(DERTag.octetString, bytes) }

  static func bits(_ bytes: [UInt8], unused: UInt8 = 0) -> [UInt8] {
    value(DERTag.bitString, [unused] + bytes)
  }

  static func utf8(_ text: String) -> [UInt8] { value(0x0c, Array(text.utf8)) }

  /// `1.2.840.10045`, as text.
  static func identifier(_ dotted: String) -> [UInt8] {
    let numbers = dotted.split(separator: ".").compactMap { Int($0) }
    var bytes = [UInt8(numbers[0] * 40 + numbers[1])]
    for number in numbers.dropFirst(2) {
      var groups = [UInt8(number & 0x7f)]
      var rest = number >> 7
      while rest > 0 {
        groups.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
        rest >>= 7
      }
      bytes += groups
    }
    return value(DERTag.objectIdentifier, bytes)
  }

  /// UTCTime up to 2049, GeneralizedTime after it (RFC 5280, section 4.1.2.5).
  static func time(_ seconds: Int64) -> [UInt8] {
    let date = CivilDate(seconds)
    if date.year < 2050 {
      return value(DERTag.utcTime, Array((date.digits.dropFirst(2) + "Z").utf8))
    }
    return value(DERTag.generalizedTime, Array((date.digits + "Z").utf8))
  }

  private static func length(_ count: Int) -> [UInt8] {
    if count < 0x80 { return [UInt8(count)] }
    if count < 0x100 { return [0x81, UInt8(count)] }
    if count < 0x10000 { return [0x82, UInt8(count >> 8), UInt8(count & 0xff)] }
    return [0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xff), UInt8(count & 0xff)]
  }
}
