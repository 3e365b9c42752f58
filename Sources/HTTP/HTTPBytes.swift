/// The character classes of RFC 9110 and RFC 3986, on bytes.
///
/// Never on `Character`: CR LF is one of those, so offsets would slip.
package enum HTTPBytes {
  package static let tab = UInt8(ascii: "\t")
  package static let lineFeed = UInt8(ascii: "\n")
  package static let carriageReturn = UInt8(ascii: "\r")
  package static let space = UInt8(ascii: " ")
  package static let colon = UInt8(ascii: ":")

  /// `tchar`: what a method or a field name is made of.
  package static func isToken(_ byte: UInt8) -> Bool {
    // A bit for each byte from 0 to 127: letters, digits and "!#$%&'*+-.^_`|~".
    let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return byte < 128 && bits >> (byte & 63) & 1 != 0
  }

  /// A byte of a field value: visible, space, tab, or not ASCII.
  package static func isFieldValue(_ byte: UInt8) -> Bool {
    byte >= space ? byte != 0x7F : byte == tab
  }

  /// Whether eight bytes are all such, and none of them is a tab, which has to be looked at alone.
  ///
  /// A byte is below 0x20 where taking 0x20 away borrows from its highest bit, and 0x7F where taking
  /// 1 from what differs does. A borrow can reach no byte but those above one that is found anyway.
  static func areFieldValues(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let high = ones << 7
    let control = (word &- ones &* 0x20) & ~word
    let difference = word ^ (ones &* 0x7F)
    let delete = (difference &- ones) & ~difference
    return (control | delete) & high == 0
  }

  /// 0x21 to 0x7E.
  package static func isVisible(_ byte: UInt8) -> Bool { byte > space && byte < 0x7F }

  package static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  package static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  package static func isAlphanumeric(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return isDigit(byte) || (lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z"))
  }

  /// The value of a hexadecimal digit.
  package static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// ASCII letters only.
  package static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
