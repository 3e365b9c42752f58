import CInih
import EventLoop
import Glibc

/// An INI file, read by inih, with the line of every fault.
enum ConfigurationFile {
  /// A file of every key with a page of comments each stays far below.
  static let largest = 64 * 1024
  /// inih cuts lines at 200 bytes, without a word. Ours are refused before.
  static let longestLine = 196

  /// Sets what the file at `path` says.
  static func read(_ path: String, into reading: inout ConfigurationReading) {
    do {
      guard try isTrusted(path, reading: &reading) else { return }
      parse(try Files.read(path, limit: largest), of: path, into: &reading)
    } catch {
      reading.cannotRead(path, "\(error)")
    }
  }

  /// Whether only the person, or root, can have written what is at `path`: it says which nodes are
  /// trusted.
  static func isTrusted(
    _ path: String, reading: inout ConfigurationReading
  ) throws(SystemError) -> Bool {
    let status = try Files.status(of: path)
    if status.owner != geteuid() && status.owner != 0 {
      reading.cannotRead(path, "it belongs to another user")
    } else if status.mode & 0o022 != 0 {
      reading.cannotRead(path, "others can write to it: “chmod go-w \(path)”")
    } else {
      return true
    }
    return false
  }

  static func parse(
    _ bytes: [UInt8], of path: String, into reading: inout ConfigurationReading
  ) {
    let lines = Lines(bytes, path, reading)
    let firstBad = withExtendedLifetime(lines) {
      ini_parse_stream(
        nextLine, Unmanaged.passUnretained(lines).toOpaque(),
        takeValue, Unmanaged.passUnretained(lines).toOpaque())
    }
    reading = lines.reading
    // inih names the first line that it could not read; ours it names too.
    if firstBad > 0 { reading.couldNotRead(line: Int(firstBad)) }
  }

  /// One pass over a file, as inih's two callbacks see it.
  fileprivate final class Lines {
    var reading: ConfigurationReading
    private var line = 0
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8], _ path: String, _ reading: ConfigurationReading) {
      rest = bytes[...]
      self.reading = reading
      self.reading.begin(file: path)
    }

    /// The next line as inih is to see it: without its end, and empty where it is refused.
    func next() -> ArraySlice<UInt8>? {
      guard !rest.isEmpty else { return nil }
      line += 1
      reading.line = line
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
        reading.complain("has \(found.count) bytes, and \(longestLine) is the most")
        return []
      }
      if String(validating: found, as: UTF8.self) == nil
        || found.contains(where: { $0 < 0x20 && $0 != 9 })
      {
        reading.complain("is not a line of text")
        return []
      }
      noteSection(found)
      return found
    }

    /// inih tells of a section only with its keys, and cuts its name.
    private func noteSection(_ line: ArraySlice<UInt8>) {
      guard line.first == UInt8(ascii: "["), let end = line.firstIndex(of: UInt8(ascii: "]")) else {
        return
      }
      reading.begin(section: String(decoding: line[..<end].dropFirst(), as: UTF8.self))
    }
  }
}

// MARK: inih's callbacks

/// `fgets`: a line with its end and a NUL, or nothing at the end.
private func nextLine(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: CInt, _ reading: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<CChar>? {
  guard let buffer, let reading,
    let line = Unmanaged<ConfigurationFile.Lines>.fromOpaque(reading).takeUnretainedValue().next()
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
  guard let reading, let name, let value else { return 1 }
  Unmanaged<ConfigurationFile.Lines>.fromOpaque(reading).takeUnretainedValue()
    .reading.take(String(cString: name), String(cString: value))
  return 1
}
