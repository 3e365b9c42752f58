import HTTP

/// Reads one JSON text (RFC 8259): UTF-8 without a byte order mark, nothing after the value.
struct JSONReader {
  /// The text is not JSON. Says where and what, and repeats nothing of it.
  struct Malformed: Error, Equatable {
    /// Bytes from the start.
    let offset: Int
    let complaint: StaticString

    static func == (left: Self, right: Self) -> Bool { left.offset == right.offset }
  }

  /// Objects and lists inside each other. The deepest body of this API has five.
  static let maximumDepth = 16
  /// Names in one object: many more than any object of this API has, few enough to compare each
  /// with all before it.
  static let maximumMembers = 64

  /// Values in one text. The longest body of this API has less than a tenth of it; each takes many
  /// times the memory of its two or three bytes.
  static let maximumValues = 16_384

  private let bytes: [UInt8]
  private var position = 0
  private var valuesLeft = maximumValues

  static func read(_ bytes: [UInt8]) throws(Malformed) -> JSONValue {
    var reader = JSONReader(bytes: bytes)
    let value = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.position == bytes.count else { throw reader.malformed("text after the value") }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func malformed(_ complaint: StaticString) -> Malformed {
    Malformed(offset: position, complaint: complaint)
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      position += 1
    }
  }

  /// Passes over `byte`, where it comes next.
  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Malformed) -> JSONValue {
    skipBlanks()
    guard valuesLeft > 0 else { throw malformed("too many values") }
    valuesLeft -= 1
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw malformed("it ends too early")
    default: return try number()
    }
  }

  private mutating func word(
    _ word: StaticString, _ value: JSONValue
  ) throws(Malformed) -> JSONValue {
    guard bytes[position...].starts(with: "\(word)".utf8) else {
      throw malformed("not a value")
    }
    position += word.utf8CodeUnitCount
    return value
  }

  private mutating func object(depth: Int) throws(Malformed) -> JSONValue {
    guard depth <= Self.maximumDepth else { throw malformed("nested too deeply") }
    position += 1
    var members: [JSONMember] = []
    skipBlanks()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipBlanks()
      guard members.count < Self.maximumMembers else { throw malformed("too many names") }
      guard next == UInt8(ascii: "\"") else { throw malformed("a name is missing") }
      let name = try string()
      guard !members.contains(where: { $0.isNamed(name) }) else {
        throw malformed("a name is given twice")
      }
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { throw malformed("a colon is missing") }
      members.append(JSONMember(name: name, value: try value(depth: depth)))
      skipBlanks()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw malformed("a comma is missing") }
    }
  }

  private mutating func array(depth: Int) throws(Malformed) -> JSONValue {
    guard depth <= Self.maximumDepth else { throw malformed("nested too deeply") }
    position += 1
    var items: [JSONValue] = []
    skipBlanks()
    if take(UInt8(ascii: "]")) { return .array(items) }
    while true {
      items.append(try value(depth: depth))
      skipBlanks()
      if take(UInt8(ascii: "]")) { return .array(items) }
      guard take(UInt8(ascii: ",")) else { throw malformed("a comma is missing") }
    }
  }

  private mutating func number() throws(Malformed) -> JSONValue {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
      try digits()
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func digits() throws(Malformed) {
    let start = position
    while let byte = next, HTTPBytes.isDigit(byte) { position += 1 }
    guard position > start else { throw malformed("not a value") }
  }

  private mutating func string() throws(Malformed) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw malformed("a text is no UTF-8")
        }
        return string
      case UInt8(ascii: "\\"):
        position += 1
        try escape(into: &text)
      case 0..<0x20:
        throw malformed("a control character in a text")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw malformed("it ends too early")
  }

  private mutating func escape(into text: inout [UInt8]) throws(Malformed) {
    guard let byte = next else { throw malformed("it ends too early") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += Array(String(Character(try scalar())).utf8)
    default: throw malformed("an unknown escape")
    }
  }

  /// What follows `\u`. A surrogate counts only together with its other half.
  private mutating func scalar() throws(Malformed) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      throw malformed("half of a surrogate pair")
    }
    let second = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw malformed("half of a surrogate pair") }
    return scalar
  }

  private mutating func hexadecimal() throws(Malformed) -> UInt32 {
    var result: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap(HTTPBytes.hexValue) else {
        throw malformed("four hexadecimal digits are missing")
      }
      result = result << 4 | UInt32(digit)
      position += 1
    }
    return result
  }
}
