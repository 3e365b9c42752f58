extension String {
  /// Whether two texts are the same byte for byte. `==` would normalize, and so take two
  /// spellings of one character for equal.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let answer = utf8.withContiguousStorageIfAvailable { mine in
      other.utf8.withContiguousStorageIfAvailable { mine.elementsEqual($0) }
    }
    // Only a text that is a view of something else has no storage of its own.
    return (answer ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
