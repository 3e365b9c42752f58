/// Reads little-endian fields from a part of an array, never past its end.
///
/// Sizes come from the other side: each is compared with what is left before it is used, so no
/// sum can overflow.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var position: Int
  private let end: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = 0
    end = bytes.count
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  var remaining: Int { end - position }

  /// - Returns: `nil` when fewer than `count` bytes are left; then nothing was read.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= remaining else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A reader of the next `count` bytes alone.
  mutating func part(_ count: Int) -> ByteReader? {
    guard count >= 0, count <= remaining else { return nil }
    defer { position += count }
    return ByteReader(bytes, position..<position + count)
  }

  mutating func uint16() -> UInt16? {
    guard let two = take(2) else { return nil }
    return two.reversed().reduce(0) { $0 << 8 | UInt16($1) }
  }

  mutating func uint32() -> UInt32? {
    guard let four = take(4) else { return nil }
    return four.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
