import Crypto

/// The kinds of values that collateral and Intel's documents are made of.
extension JSONReader {
  mutating func text() throws(JSONMismatch) -> String {
    String(decoding: try string(), as: UTF8.self)
  }

  /// Hexadecimal digits of either case, for exactly `count` bytes.
  mutating func hex(_ count: Int) throws(JSONMismatch) -> [UInt8] {
    guard let bytes = Hex.decode(try text()), bytes.count == count else { throw JSONMismatch() }
    return bytes
  }

  /// Hexadecimal digits of either case, or an array of numbers 0 to 255.
  mutating func byteString() throws(JSONMismatch) -> [UInt8] {
    if isAtString {
      guard let bytes = Hex.decode(try text()) else { throw JSONMismatch() }
      return bytes
    }
    var bytes: [UInt8] = []
    try array { (element) throws(JSONMismatch) in
      bytes.append(UInt8(try element.integer(upTo: 255)))
    }
    return bytes
  }

  /// `YYYY-MM-DDTHH:MM:SSZ`, as Unix seconds.
  mutating func date() throws(JSONMismatch) -> Int64 {
    guard let seconds = UnixTime.iso8601(try string()) else { throw JSONMismatch() }
    return seconds
  }

  /// A text that names a case of `type`.
  mutating func name<Value: RawRepresentable<String>>(
    _ type: Value.Type
  ) throws(JSONMismatch) -> Value {
    guard let value = Value(rawValue: try text()) else { throw JSONMismatch() }
    return value
  }
}

/// A field that must be there once.
struct Required<Value> {
  private var value: Value?

  mutating func set(_ new: Value) throws(JSONMismatch) {
    guard value == nil else { throw JSONMismatch() }
    value = new
  }

  func get() throws(JSONMismatch) -> Value {
    guard let value else { throw JSONMismatch() }
    return value
  }

  /// For a field that may be missing, but not be there twice.
  func get(orElse absent: Value) -> Value { value ?? absent }
}
