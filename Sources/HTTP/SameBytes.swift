import Glibc

extension Substring {
  /// Whether a byte is in it.
  package func hasByte(_ byte: UInt8) -> Bool { has(byte, in: utf8) }
}

// Not of every `StringProtocol`: what is generic costs a caller in another module several times as
// much.
private func has(_ byte: UInt8, in text: some Collection<UInt8>) -> Bool {
  let found = text.withContiguousStorageIfAvailable { bytes in
    bytes.baseAddress.map { memchr($0, CInt(byte), bytes.count) != nil } ?? false
  }
  // Only a text that is a view of something else has no storage of its own.
  return found ?? text.contains(byte)
}

extension String {
  /// Whether a byte is in it.
  package func hasByte(_ byte: UInt8) -> Bool { has(byte, in: utf8) }

  /// Whether two texts are the same byte for byte. `==` would normalize, and so take two
  /// spellings of one character for equal.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return hasBytes(of: other, at: 0)
  }

  /// Whether the bytes of another text are these, from the byte `offset` on.
  package func hasBytes(of other: String, at offset: Int) -> Bool {
    let count = other.utf8.count
    guard offset >= 0, offset + count <= utf8.count else { return false }
    let answer = utf8.withContiguousStorageIfAvailable { mine in
      other.utf8.withContiguousStorageIfAvailable { its -> Bool in
        guard let mine = mine.baseAddress, let its = its.baseAddress else { return count == 0 }
        return memcmp(mine + offset, its, count) == 0
      }
    }
    // Only a text that is a view of something else has no storage of its own.
    return (answer ?? nil) ?? utf8.dropFirst(offset).starts(with: other.utf8)
  }
}
