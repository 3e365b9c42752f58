import CInih
import EventLoop

/// An INI file, read by inih, with the line of every fault.
enum ConfigurationFile {
  /// A file of every key with a page of comments each stays far below.
  static let largest = 64 * 1024
  /// inih cuts lines at 200 bytes, without a word. Ours are refused before.
  static let longestLine = 196
  /// How many faults are told of: more say nothing new.
  static let mostFaults = 20

  /// Sets what the file at `path` says.
  ///
  /// - Returns: the faults, each as `FILE:LINE: …`; with any, nothing of it is to be used.
  static func read(_ path: String, into configuration: inout Configuration) -> [String] {
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: largest)
    } catch {
      return ["\(path): cannot be read: \(error)"]
    }
    return parse(bytes, of: path, into: &configuration)
  }

  static func parse(
    _ bytes: [UInt8], of path: String, into configuration: inout Configuration
  ) -> [String] {
    let reading = Reading(bytes, configuration)
    let firstBad = withExtendedLifetime(reading) {
      ini_parse_stream(
        nextLine, Unmanaged.passUnretained(reading).toOpaque(),
        takeValue, Unmanaged.passUnretained(reading).toOpaque())
    }
    // inih names the first line that it could not read; ours it names too.
    if firstBad > 0, !reading.faults.contains(where: { $0.line == Int(firstBad) }) {
      reading.complain("is neither a section nor a key with a value", line: Int(firstBad))
    }
    configuration = reading.configuration
    return reading.faults.sorted { $0.line < $1.line }.prefix(mostFaults).map { fault in
      "\(path):\(fault.line): \(fault.text)"
    }
  }

  /// One pass over a file, as inih's two callbacks see it.
  fileprivate final class Reading {
    var configuration: Configuration
    var faults: [(line: Int, text: String)] = []
    /// Where each key stood first.
    var seen: [ConfigurationKey: Int] = [:]
    var line = 0
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8], _ configuration: Configuration) {
      rest = bytes[...]
      self.configuration = configuration
    }

    func complain(_ text: String, line: Int? = nil) { faults.append((line ?? self.line, text)) }

    /// The next line as inih is to see it: without its end, and empty where it is refused.
    func next() -> ArraySlice<UInt8>? {
      guard !rest.isEmpty else { return nil }
      line += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      var found = rest[..<end]
      rest = rest[end...].dropFirst()
      if found.last == UInt8(ascii: "\r") { found.removeLast() }
      if line == 1, found.starts(with: [0xef, 0xbb, 0xbf]) { found = found.dropFirst(3) }
      // To inih an indented line continues the one above; here it is a line like any other.
      found = found.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      let isComment = [UInt8(ascii: "#"), UInt8(ascii: ";")].contains(found.first)
      if isComment { return [] }
      if found.count > longestLine {
        complain("has \(found.count) bytes, and \(longestLine) is the most")
        return []
      }
      if String(validating: found, as: UTF8.self) == nil
        || found.contains(where: { $0 < 0x20 && $0 != 9 })
      {
        complain("is not a line of text")
        return []
      }
      checkSection(found)
      return found
    }

    /// inih tells of a section only with its keys, so an unknown one without any is seen here.
    private func checkSection(_ line: ArraySlice<UInt8>) {
      guard line.first == UInt8(ascii: "["), let end = line.firstIndex(of: UInt8(ascii: "]")) else {
        return
      }
      let name = String(decoding: line[..<end].dropFirst(), as: UTF8.self)
      guard !ConfigurationKey.sections.contains(name) else { return }
      complain("unknown section [\(name)]: there are \(ConfigurationKey.sections)")
    }

    func take(section: String, name: String, value: String) {
      guard ConfigurationKey.sections.contains(section) else {
        if section.isEmpty { complain("\(name) stands before the first section") }
        return
      }
      guard let key = ConfigurationKey(rawValue: name) else {
        return complain("unknown key \(name)\(hint(for: name))")
      }
      guard key.section == section else {
        return complain("\(name) belongs into the section [\(key.section)]")
      }
      if let first = seen[key] {
        return complain("\(name) is set a second time, first on line \(first)")
      }
      seen[key] = line
      do {
        try key.set(value, in: &configuration)
      } catch {
        complain("the value of \(name) \(error.text)")
      }
    }

    private func hint(for name: String) -> String {
      let near = ConfigurationKey.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
      return near.map { ": \($0.rawValue) is meant?" } ?? ""
    }
  }
}

// MARK: inih's callbacks

/// `fgets`: a line with its end and a NUL, or nothing at the end.
private func nextLine(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: CInt, _ reading: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<CChar>? {
  guard let buffer, let reading,
    let line = Unmanaged<ConfigurationFile.Reading>.fromOpaque(reading).takeUnretainedValue().next()
  else { return nil }
  let bytes = line.prefix(max(0, Int(size) - 2)) + [UInt8(ascii: "\n"), 0]
  for (offset, byte) in bytes.enumerated() { buffer[offset] = CChar(bitPattern: byte) }
  return buffer
}

/// - Returns: 1; what is wrong with a line is kept with its number.
private func takeValue(
  _ reading: UnsafeMutableRawPointer?, _ section: UnsafePointer<CChar>?,
  _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> CInt {
  guard let reading, let section, let name, let value else { return 1 }
  Unmanaged<ConfigurationFile.Reading>.fromOpaque(reading).takeUnretainedValue().take(
    section: String(cString: section), name: String(cString: name), value: String(cString: value))
  return 1
}
