import CLinux
import Glibc

extension Files {
  /// The whole content of a small file.
  ///
  /// - Parameter allowsPipe: whether it may be something else than a file, which may be waited for.
  /// - Throws: `EFBIG` when there are more than `limit` bytes, `EISDIR` for a directory, `EINVAL`
  ///   for a pipe, a socket or a device.
  package static func read(
    _ path: String, limit: Int, allowsPipe: Bool = false
  ) throws(SystemError) -> [UInt8] {
    let file = try open(path, .read)
    if !allowsPipe { try file.checkIsRegular() }
    return try file.readToEnd(limit: limit)
  }

  /// Replaces the file at `path`, or makes it: a reader, and a machine that lost its power, sees
  /// the old content or the new one and nothing in between. The file has `mode` exactly, and no
  /// more of it at any moment. One caller at a time for one path.
  package static func replace(
    _ path: String, with bytes: [UInt8], mode: UInt32
  ) throws(SystemError) {
    try check(path, "open")
    let parent = try OpenDirectory(at: directory(of: path))
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    try parent.replace(name, with: bytes, mode: mode)
  }
}

extension OwnedDescriptor {
  package borrowing func status() throws(SystemError) -> FileStatus {
    var status = stat()
    let number = withNumber { $0 }
    _ = try systemCall("fstat") { fstat(number, &status) }
    return FileStatus(status)
  }

  /// - Throws: `EISDIR` for a directory, `EINVAL` for a pipe, a socket or a device.
  package borrowing func checkIsRegular() throws(SystemError) {
    switch try status().kind {
    case .regular: return
    case .directory: throw SystemError(call: "open", code: EISDIR)
    default: throw SystemError(call: "not a regular file", code: EINVAL)
    }
  }

  package borrowing func setMode(_ mode: UInt32) throws(SystemError) {
    let number = withNumber { $0 }
    _ = try systemCall("fchmod") { fchmod(number, mode_t(mode)) }
  }

  /// Takes the exclusive lock of this open file without waiting. It goes with the descriptor,
  /// whatever becomes of the process.
  ///
  /// - Returns: false when another open file has it.
  package borrowing func lock() throws(SystemError) -> Bool {
    let number = withNumber { $0 }
    do {
      _ = try Files.retrying("flock") { flock(number, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.code == EWOULDBLOCK else { throw error }
      return false
    }
  }

  /// Waits until the content is on the disk.
  package borrowing func sync() throws(SystemError) {
    let number = withNumber { $0 }
    _ = try Files.retrying("fsync") { fsync(number) }
  }

  package borrowing func truncate(to size: Int64) throws(SystemError) {
    let number = withNumber { $0 }
    _ = try Files.retrying("ftruncate") { ftruncate(number, off_t(size)) }
  }

  /// - Throws: `EFBIG` when there are more than `limit` bytes.
  package borrowing func readToEnd(limit: Int) throws(SystemError) -> [UInt8] {
    let number = withNumber { $0 }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    // The file may hold a token.
    defer {
      chunk.withUnsafeMutableBytes { bytes in
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
      }
    }
    while true {
      let count = try Files.retrying("read") { CInt(Glibc.read(number, &chunk, chunk.count)) }
      if count == 0 { return bytes }
      guard bytes.count + Int(count) <= limit else { throw SystemError(call: "read", code: EFBIG) }
      bytes.append(contentsOf: chunk[..<Int(count)])
    }
  }

  /// Writes what another open file has, and keeps little of it in memory.
  ///
  /// - Throws: `EFBIG` when there are more than `limit` bytes.
  borrowing func writeAll(readFrom source: CInt, limit: Int) throws(SystemError) {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var copied = 0
    while true {
      let count = try Files.retrying("read") { CInt(Glibc.read(source, &chunk, chunk.count)) }
      if count == 0 { return }
      copied += Int(count)
      guard copied <= limit else { throw SystemError(call: "read", code: EFBIG) }
      try writeAll(Array(chunk[..<Int(count)]))
    }
  }

  package borrowing func writeAll(_ bytes: [UInt8]) throws(SystemError) {
    let number = withNumber { $0 }
    var written = 0
    while written < bytes.count {
      let rest = bytes[written...].prefix(1 << 30)
      let count = try Files.retrying("write") {
        CInt(rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) })
      }
      written += Int(count)
    }
  }
}
