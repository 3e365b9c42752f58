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

  /// The first value of the key there.
  func value(of key: String, in section: String) -> String? {
    line(of: key, in: section).map { index in
      String(decoding: lines[index].dropFirst(key.utf8.count + 1), as: UTF8.self)
    }
  }

  /// Puts another value in place of the one that is there.
  mutating func replaceValue(of key: String, in section: String, with value: String) {
    guard let index = line(of: key, in: section) else { return }
    lines[index] = Array("\(key)=\(value)".utf8)
  }

  mutating func removeValue(of key: String, in section: String) {
    guard let index = line(of: key, in: section) else { return }
    lines.remove(at: index)
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

  private func line(of key: String, in section: String) -> Int? {
    guard let range = range(of: section) else { return nil }
    let start = Array("\(key)=".utf8)
    return range.first { lines[$0].starts(with: start) }
  }

  /// The section's lines, its heading the first of them.
  private func range(of section: String) -> Range<Int>? {
    let heading = Array("[\(section)]".utf8)
    guard let start = lines.firstIndex(where: { $0.starts(with: heading) }) else { return nil }
    let next = lines[(start + 1)...].firstIndex { $0.first == UInt8(ascii: "[") }
    return start..<(next ?? lines.count)
  }
}
