import EventLoop

/// A file of sections, keys and values, as desktops keep their settings in. Lines stay as they
/// are, byte for byte, so that what is not changed is not touched.
struct KeyFile: Sendable, Equatable {
  /// Nobody's list of programs is larger.
  static let largest = 1 << 20

  /// Without their ends.
  private(set) var lines: [[UInt8]]
  private let endsWithNewline: Bool

  init(_ bytes: [UInt8]) {
    endsWithNewline = bytes.last == UInt8(ascii: "\n")
    lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Array($0) }
    if endsWithNewline || bytes.isEmpty { lines.removeLast() }
  }

  /// - Returns: `nil` where there is no file that can be read.
  init?(path: String) {
    guard let bytes = try? Files.read(path, limit: Self.largest) else { return nil }
    self.init(bytes)
  }

  var bytes: [UInt8] {
    let joined = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    return endsWithNewline && !lines.isEmpty ? joined + [UInt8(ascii: "\n")] : joined
  }

  func hasSection(_ section: String) -> Bool { range(of: section) != nil }

  /// The value of the key there: of the last line where several have it, as desktops' own readers
  /// take it.
  func value(of key: String, in section: String) -> String? {
    line(of: key, in: section).map { String(decoding: lines[$0.index][$0.value...], as: UTF8.self) }
  }

  /// Puts another value in place of the one that is there.
  mutating func replaceValue(of key: String, in section: String, with value: String) {
    guard let line = line(of: key, in: section) else { return }
    lines[line.index].replaceSubrange(line.value..., with: value.utf8)
  }

  mutating func removeValue(of key: String, in section: String) {
    guard let line = line(of: key, in: section) else { return }
    lines.remove(at: line.index)
  }

  /// Removes the heading of a section that holds nothing any more, and an empty line before it.
  mutating func removeSection(ifEmpty section: String) {
    guard let range = range(of: section), lines[range].dropFirst().allSatisfy(\.isEmpty) else {
      return
    }
    let heading = range.lowerBound
    let start = heading > 0 && lines[heading - 1].isEmpty ? heading - 1 : heading
    lines.removeSubrange(start...heading)
  }

  private func line(of key: String, in section: String) -> (index: Int, value: Int)? {
    guard let range = range(of: section) else { return nil }
    for index in range.reversed() {
      if let value = Self.valueStart(of: key, in: lines[index]) { return (index, value) }
    }
    return nil
  }

  /// Where the value begins in a line of the key; `nil` in every other line. Blanks around the equals
  /// sign count for nothing (desktop-entry-spec, "Entries").
  private static func valueStart(of key: String, in line: [UInt8]) -> Int? {
    guard line.starts(with: key.utf8) else { return nil }
    let rest = line.dropFirst(key.utf8.count).drop(while: isBlank)
    guard rest.first == UInt8(ascii: "=") else { return nil }
    return rest.dropFirst().drop(while: isBlank).startIndex
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// The section's lines, its heading the first of them.
  private func range(of section: String) -> Range<Int>? {
    let heading = Array("[\(section)]".utf8)
    guard let start = lines.firstIndex(where: { $0.starts(with: heading) }) else { return nil }
    let next = lines[(start + 1)...].firstIndex { $0.first == UInt8(ascii: "[") }
    return start..<(next ?? lines.count)
  }
}
