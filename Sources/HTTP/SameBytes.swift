import Glibc

extension String {
  /// Whether a byte is in it.
  package func hasByte(_ byte: UInt8) -> Bool { utf8.span.firstIndex(of: byte) != nil }

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
