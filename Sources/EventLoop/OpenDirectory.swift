import CLinux
import Glibc

/// A directory that is open. What is done in it is done in this one, whatever its path leads to by
/// then, and with its entries themselves, never with what a link among them leads to.
///
/// Every call throws `EINVAL` for a name that is no entry's: empty, `.`, `..`, with a slash or a NUL.
package struct OpenDirectory: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor

  /// The directory that `path` leads to, by links as well.
  init(at path: String) throws(SystemError) {
    descriptor = try Files.open(path, .directory)
  }

  /// Opens a directory of `owner`'s alone.
  ///
  /// - Throws: `ENOTDIR` where something else is there, a link as well; `EPERM` where it is another
  ///   user's.
  package init(_ path: String, owner: UInt32) throws(SystemError) {
    let opened = try Files.open(path, .directory, followsLink: false)
    try Self.claim(opened, owner)
    descriptor = opened
  }

  private init(adopting descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

  /// Takes away from others what they may do in it, whoever gave it to them.
  private static func claim(
    _ descriptor: borrowing OwnedDescriptor, _ owner: UInt32
  ) throws(SystemError) {
    let status = try descriptor.status()
    guard status.owner == owner else { throw SystemError(call: "open", code: EPERM) }
    if status.mode & 0o777 != 0o700 { try descriptor.setMode(0o700) }
  }

  // MARK: Directories below

  /// Opens a directory of `owner`'s alone in this one; it throws as `init` does.
  package borrowing func directory(
    _ name: String, owner: UInt32
  ) throws(SystemError) -> OpenDirectory {
    let opened = try open(name, .directory)
    try Self.claim(opened, owner)
    return OpenDirectory(adopting: opened)
  }

  /// - Throws: `EEXIST` when there is something of this name.
  package borrowing func makeDirectory(_ name: String, mode: UInt32) throws(SystemError) {
    try Self.check(name, "mkdir")
    let number = descriptor.withNumber { $0 }
    _ = try systemCall("mkdir") { mkdirat(number, name, mode_t(mode)) }
  }

  // MARK: Entries

  /// The names without `.` and `..`, in no order. Several system calls.
  package borrowing func names() throws(SystemError) -> [String] {
    // Its own place in the list.
    let own = descriptor.withNumber { $0 }
    let number = try Files.retrying("open") { openat(own, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let list = fdopendir(number) else {
      let code = errno
      close(number)
      throw SystemError(call: "fdopendir", code: code)
    }
    return try Files.names(readingAndClosing: list)
  }

  /// - Throws: `ELOOP` for a link.
  package borrowing func open(
    _ name: String, _ access: FileAccess, create: FileCreation = .never
  ) throws(SystemError) -> OwnedDescriptor {
    try Self.check(name, "open")
    let number = descriptor.withNumber { $0 }
    return try Files.open(at: number, name, access, create, followsLink: false)
  }

  /// The whole content of a small file; it throws as `Files.read` does, and `ELOOP` for a link.
  package borrowing func read(_ name: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try open(name, .read)
    try file.checkIsRegular()
    return try file.readToEnd(limit: limit)
  }

  /// As `Files.replace`.
  package borrowing func replace(
    _ name: String, with bytes: [UInt8], mode: UInt32
  ) throws(SystemError) {
    try replace(name, mode: mode) { file throws(SystemError) in try file.writeAll(bytes) }
  }

  /// The same with what another file has from its current place on, a piece at a time.
  ///
  /// - Throws: `EFBIG` when there are more than `limit` bytes.
  package borrowing func replace(
    _ name: String, withContentOf source: borrowing OwnedDescriptor, limit: Int, mode: UInt32
  ) throws(SystemError) {
    let number = source.withNumber { $0 }
    try replace(name, mode: mode) { file throws(SystemError) in
      try file.writeAll(readFrom: number, limit: limit)
    }
  }

  private borrowing func replace(
    _ name: String, mode: UInt32,
    _ write: (borrowing OwnedDescriptor) throws(SystemError) -> Void
  ) throws(SystemError) {
    let new = name + ".new"
    // Left over from a process that ended in the middle.
    try? unlink(new)
    do throws(SystemError) {
      let file = try open(new, .write, create: .exclusive(mode: mode))
      try file.setMode(mode)
      try write(file)
      try file.sync()
      try rename(new, to: name)
    } catch {
      try? unlink(new)
      throw error
    }
    try descriptor.sync()
  }

  /// Over what has the new name.
  package borrowing func rename(_ name: String, to newName: String) throws(SystemError) {
    try Self.check(name, "rename")
    try Self.check(newName, "rename")
    let number = descriptor.withNumber { $0 }
    _ = try systemCall("rename") { renameat(number, name, number, newName) }
  }

  package borrowing func unlink(_ name: String) throws(SystemError) {
    try Self.check(name, "unlink")
    let number = descriptor.withNumber { $0 }
    _ = try systemCall("unlink") { unlinkat(number, name, 0) }
  }

  /// Takes the exclusive lock of this open directory without waiting, as long as it is open.
  ///
  /// - Returns: false when another one has it.
  package borrowing func lock() throws(SystemError) -> Bool { try descriptor.lock() }

  private static func check(_ name: String, _ call: String) throws(SystemError) {
    guard !name.isEmpty, name != ".", name != "..",
      !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
    else { throw SystemError(call: call, code: EINVAL) }
  }
}
