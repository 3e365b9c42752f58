import CLinux
import Glibc

/// What a file is, as of one look.
package struct FileStatus: Equatable, Sendable {
  package enum Kind: Sendable {
    case regular, directory, socket, symbolicLink, other
  }

  package let kind: Kind
  /// The permission bits with set-id and sticky: `mode & 0o7777`.
  package let mode: UInt32
  package let owner: UInt32
  package let group: UInt32
  /// In bytes.
  package let size: Int64
  package let device: UInt64
  package let inode: UInt64

  init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFSOCK: .socket
      case S_IFLNK: .symbolicLink
      default: .other
      }
    mode = status.st_mode & 0o7777
    owner = status.st_uid
    group = status.st_gid
    size = Int64(status.st_size)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// How a file is opened. It is always close-on-exec and never becomes a controlling terminal.
package enum FileAccess: Sendable {
  case read
  case write
  case append
  /// A directory, to sync it or to lock it.
  case directory
}

/// What happens when the file is there, or is not.
package enum FileCreation: Sendable {
  case never
  case ifMissing(mode: UInt32)
  /// `EEXIST` when it is there, also as a dangling link.
  case exclusive(mode: UInt32)
}

/// Files and directories by path. Each call is one system call unless it says otherwise, and
/// waits for the file system: the loop may do this at start, on a reload and for small files.
///
/// Every call throws `EINVAL` for a path with a NUL inside.
package enum Files {
  /// A symbolic link as the last part of `path` is followed only when `followsLink` says so
  /// (`ELOOP` otherwise). To open never waits; to read a pipe waits for its writer, if it has one.
  package static func open(
    _ path: String, _ access: FileAccess, create: FileCreation = .never, followsLink: Bool = true
  ) throws(SystemError) -> OwnedDescriptor {
    try open(at: AT_FDCWD, path, access, create, followsLink: followsLink)
  }

  /// The same for a path that begins at an open directory.
  static func open(
    at directory: CInt, _ path: String, _ access: FileAccess, _ create: FileCreation,
    followsLink: Bool
  ) throws(SystemError) -> OwnedDescriptor {
    var flags = O_CLOEXEC | O_NOCTTY
    switch access {
    // A pipe without a writer would hold up even a signal's handler.
    case .read: flags |= O_RDONLY | O_NONBLOCK
    case .write: flags |= O_RDWR
    case .append: flags |= O_WRONLY | O_APPEND
    case .directory: flags |= O_RDONLY | O_DIRECTORY
    }
    var mode: UInt32 = 0
    switch create {
    case .never: break
    case .ifMissing(let wanted): (flags, mode) = (flags | O_CREAT, wanted)
    case .exclusive(let wanted): (flags, mode) = (flags | O_CREAT | O_EXCL, wanted)
    }
    if !followsLink { flags |= O_NOFOLLOW }
    try check(path, "open")
    let number = try retrying("open") { openat(directory, path, flags, mode_t(mode)) }
    let file = OwnedDescriptor(adopting: number)
    if access == .read {
      _ = try systemCall("fcntl") { fcntl(number, F_SETFL, flags & O_NOFOLLOW) }
    }
    return file
  }

  package static func status(
    of path: String, followsLink: Bool = true
  ) throws(SystemError) -> FileStatus {
    try check(path, "stat")
    var status = stat()
    _ = try systemCall(followsLink ? "stat" : "lstat") {
      followsLink ? stat(path, &status) : lstat(path, &status)
    }
    return FileStatus(status)
  }

  /// A file that has no name in `directory` and is gone with its descriptor. Where the file system
  /// makes none of the kind, it has one of its own until the call returns.
  package static func openNameless(in directory: String) throws(SystemError) -> OwnedDescriptor {
    do throws(SystemError) {
      try check(directory, "open")
      let flags = CLINUX_TMPFILE | O_DIRECTORY | O_RDWR | O_CLOEXEC
      let number = try retrying("open") { Glibc.open(directory, flags, mode_t(0o600)) }
      return OwnedDescriptor(adopting: number)
    } catch {
      // open(2): the file system does not, or the kernel below it.
      guard [EOPNOTSUPP, EISDIR, ENOENT].contains(error.code) else { throw error }
      return try openForAMoment(in: directory)
    }
  }

  static func openForAMoment(in directory: String) throws(SystemError) -> OwnedDescriptor {
    let path = "\(directory)/.nameless-\(getpid())-\(UInt64.random(in: .min ... .max))"
    let file = try open(path, .write, create: .exclusive(mode: 0o600), followsLink: false)
    try unlink(path)
    return file
  }

  /// Whether this process may read what is at `path`; only a hint, as that may change.
  package static func isReadable(_ path: String) -> Bool {
    !path.utf8.contains(0) && access(path, R_OK) == 0
  }

  /// - Throws: `EEXIST` when there is something at `path`.
  package static func makeDirectory(_ path: String, mode: UInt32) throws(SystemError) {
    try check(path, "mkdir")
    _ = try systemCall("mkdir") { mkdir(path, mode_t(mode)) }
  }

  /// Makes the directory and those above it that are missing, all with `mode`. One that is there
  /// keeps the mode that it has. Several system calls.
  package static func makeDirectories(_ path: String, mode: UInt32) throws(SystemError) {
    do {
      try makeDirectory(path, mode: mode)
    } catch {
      switch error.code {
      case EEXIST where try status(of: path).kind == .directory: return
      case ENOENT:
        let parent = directory(of: path)
        guard parent != path else { throw error }
        try makeDirectories(parent, mode: mode)
        do {
          try makeDirectory(path, mode: mode)
        } catch {
          // Another process may have made it meanwhile.
          guard error.code == EEXIST, try status(of: path).kind == .directory else { throw error }
        }
      default: throw error
      }
    }
  }

  package static func rename(_ path: String, to newPath: String) throws(SystemError) {
    try check(path, "rename")
    try check(newPath, "rename")
    _ = try systemCall("rename") { Glibc.rename(path, newPath) }
  }

  package static func unlink(_ path: String) throws(SystemError) {
    try check(path, "unlink")
    _ = try systemCall("unlink") { Glibc.unlink(path) }
  }

  /// Makes renames and removals in this directory durable. Two system calls.
  package static func syncDirectory(_ path: String) throws(SystemError) {
    try open(path, .directory).sync()
  }

  /// The directory that holds `path`, by its text alone.
  package static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    if slash == path.startIndex { return "/" }
    let parent = path[..<slash]
    return path.utf8.index(after: slash) == path.endIndex
      ? directory(of: String(parent)) : String(parent)
  }

  static func check(_ path: String, _ call: String) throws(SystemError) {
    // C would read the path up to the NUL: another file than the one that was checked.
    if path.utf8.contains(0) { throw SystemError(call: call, code: EINVAL) }
  }

  static func retrying(_ call: String, _ body: () -> CInt) throws(SystemError) -> CInt {
    while true {
      do {
        return try systemCall(call, body)
      } catch {
        guard error.code == EINTR else { throw error }
      }
    }
  }
}
