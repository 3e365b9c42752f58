/// Something in a JSON text that is not as it must be: the syntax, a type, a size, a range.
struct JSONMismatch: Error, Equatable {}

/// Reads JSON (RFC 8259) front to back, field by field, without building a tree: what nobody
/// asks for costs no memory, however much there is of it.
struct JSONReader {
  /// Deeper nesting is refused; Intel's documents have six levels.
  static let depthLimit = 32

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  /// - Throws: when `bytes` is not UTF-8.
  init(_ bytes: [UInt8]) throws(JSONMismatch) {
    guard (try? UTF8Span(validating: bytes.span)) != nil else { throw JSONMismatch() }
    self.bytes = bytes
  }

  /// Reads a text that is one object and nothing behind it. `field` is called as for `object`.
  static func document(
    _ bytes: [UInt8], _ field: (String, inout JSONReader) throws(JSONMismatch) -> Void
  ) throws(JSONMismatch) {
    var reader = try JSONReader(bytes)
    try reader.object(field)
    try reader.end()
  }

  /// Reads an object. `field` is called for each name, in the order of the text, and must read
  /// or skip the value.
  mutating func object(
    _ field: (String, inout JSONReader) throws(JSONMismatch) -> Void
  ) throws(JSONMismatch) {
    try open(UInt8(ascii: "{"))
    if !accept(UInt8(ascii: "}")) {
      repeat {
        let name = String(decoding: try string(), as: UTF8.self)
        try expect(UInt8(ascii: ":"))
        try field(name, &self)
      } while accept(UInt8(ascii: ","))
      try expect(UInt8(ascii: "}"))
    }
    depth -= 1
  }

  /// Reads an array; `element` must read or skip one value.
  mutating func array(
    _ element: (inout JSONReader) throws(JSONMismatch) -> Void
  ) throws(JSONMismatch) {
    try open(UInt8(ascii: "["))
    if !accept(UInt8(ascii: "]")) {
      repeat { try element(&self) } while accept(UInt8(ascii: ","))
      try expect(UInt8(ascii: "]"))
    }
    depth -= 1
  }

  /// Reads a string; escapes are resolved.
  ///
  /// - Returns: UTF-8.
  mutating func string() throws(JSONMismatch) -> [UInt8] {
    try expect(UInt8(ascii: "\""))
    let start = position
    while position < bytes.count, Self.isPlain(bytes[position]) { position += 1 }
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return text
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20: throw JSONMismatch()
      default: text.append(byte)
      }
    }
    throw JSONMismatch()
  }

  /// Reads a number without fraction and exponent, from 0 to `limit`.
  mutating func integer(upTo limit: Int) throws(JSONMismatch) -> Int {
    let digits = try number()
    var value = 0
    for digit in digits {
      guard Self.isDigit(digit) else { throw JSONMismatch() }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
      guard value <= limit else { throw JSONMismatch() }
    }
    return value
  }

  /// What comes next, without reading it.
  var isAtString: Bool { mutating get { peek() == UInt8(ascii: "\"") } }

  /// Reads one value of any kind without looking into it: the bytes that it is written with.
  mutating func raw() throws(JSONMismatch) -> [UInt8] {
    _ = peek()
    let start = position
    try skip()
    return Array(bytes[start..<position])
  }

  /// Reads any value and forgets it. Its syntax is checked.
  mutating func skip() throws(JSONMismatch) {
    switch peek() {
    case UInt8(ascii: "{"): try object { (_, value) throws(JSONMismatch) in try value.skip() }
    case UInt8(ascii: "["): try array { (value) throws(JSONMismatch) in try value.skip() }
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: _ = try number()
    }
  }

  /// - Throws: when anything but white space is left.
  mutating func end() throws(JSONMismatch) {
    guard peek() == nil else { throw JSONMismatch() }
  }
}

extension JSONReader {
  private mutating func peek() -> UInt8? {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      default: return bytes[position]
      }
    }
    return nil
  }

  private mutating func accept(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ byte: UInt8) throws(JSONMismatch) {
    guard accept(byte) else { throw JSONMismatch() }
  }

  private mutating func open(_ bracket: UInt8) throws(JSONMismatch) {
    try expect(bracket)
    depth += 1
    guard depth <= Self.depthLimit else { throw JSONMismatch() }
  }

  private mutating func literal(_ word: StaticString) throws(JSONMismatch) {
    for index in 0..<word.utf8CodeUnitCount {
      guard position < bytes.count, bytes[position] == word.utf8Start[index] else {
        throw JSONMismatch()
      }
      position += 1
    }
  }

  /// The characters of one number, whose form is checked.
  private mutating func number() throws(JSONMismatch) -> ArraySlice<UInt8> {
    _ = peek()
    let start = position
    if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
    let integerStart = position
    try digits()
    // A number that begins with 0 is 0.
    if bytes[integerStart] == UInt8(ascii: "0"), position > integerStart + 1 {
      throw JSONMismatch()
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, "+-".utf8.contains(bytes[position]) { position += 1 }
      try digits()
    }
    return bytes[start..<position]
  }

  /// At least one digit.
  private mutating func digits() throws(JSONMismatch) {
    let start = position
    while position < bytes.count, Self.isDigit(bytes[position]) { position += 1 }
    guard position > start else { throw JSONMismatch() }
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONMismatch) {
    guard position < bytes.count else { throw JSONMismatch() }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: try escapedScalar().utf8)
    default: throw JSONMismatch()
    }
  }

  private mutating func escapedScalar() throws(JSONMismatch) -> Character {
    let first = try escapedUnit()
    var value = first
    if (0xd800..<0xdc00).contains(first) {
      try literal("\\u")
      let second = try escapedUnit()
      guard (0xdc00..<0xe000).contains(second) else { throw JSONMismatch() }
      value = 0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)
    }
    // Half of a pair alone is no character.
    guard let scalar = Unicode.Scalar(value) else { throw JSONMismatch() }
    return Character(scalar)
  }

  private mutating func escapedUnit() throws(JSONMismatch) -> UInt32 {
    guard bytes.count - position >= 4 else { throw JSONMismatch() }
    var value: UInt32 = 0
    for digit in bytes[position..<position + 4] {
      guard let number = Character(Unicode.Scalar(digit)).hexDigitValue, digit < 0x80 else {
        throw JSONMismatch()
      }
      value = value << 4 | UInt32(number)
    }
    position += 4
    return value
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
