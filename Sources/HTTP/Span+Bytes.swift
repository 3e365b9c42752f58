import Glibc

/// A line's bytes where they arrived: looking at them counts no references and copies nothing.
extension Span<UInt8> {
  /// Where a byte is first, from `start` on.
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    extracting(start...).withUnsafeBytes { memory in
      guard let first = memory.baseAddress, let found = memchr(first, CInt(byte), memory.count)
      else { return nil }
      return start + (UnsafeRawPointer(found) - first)
    }
  }

  /// Whether all bytes are of a kind.
  @inline(__always)
  func all(_ isOfKind: (UInt8) -> Bool) -> Bool {
    var index = 0
    while index < count, isOfKind(self[index]) { index += 1 }
    return index == count
  }

  /// Whether the bytes are those of `word`.
  func has(_ word: StaticString) -> Bool { has(word) { $0 } }

  /// The same in any case of their letters.
  ///
  /// - Parameter word: in lower case.
  func hasInAnyCase(_ word: StaticString) -> Bool { has(word, HTTPBytes.lowercased) }

  @inline(__always)
  private func has(_ word: StaticString, _ form: (UInt8) -> UInt8) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { word in
      var index = 0
      while index < word.count, form(self[index]) == word[index] { index += 1 }
      return index == word.count
    }
  }

  /// Where the bytes from `start` to `end` are without the spaces and tabs around them.
  func trimmed(_ start: Int, _ end: Int) -> Range<Int> {
    var (start, end) = (start, end)
    while start < end, HTTPBytes.isBlank(self[start]) { start += 1 }
    while start < end, HTTPBytes.isBlank(self[end - 1]) { end -= 1 }
    return start..<end
  }

  /// As text, with what is no UTF-8 replaced.
  package var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}
