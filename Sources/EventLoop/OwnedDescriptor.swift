import CLinux
import Glibc

/// The one owner of one file descriptor. Moving the value moves the duty to close it.
package struct OwnedDescriptor: ~Copyable, Sendable {
  private let raw: CInt

  /// - Precondition: `raw` is open and nothing else will close it.
  package init(adopting raw: CInt) {
    precondition(raw >= 0)
    self.raw = raw
  }

  // Linux frees the slot even when close reports EINTR, so close is never retried.
  deinit { _ = Glibc.close(raw) }

  /// The number, for one system call. It must not outlive `body`.
  package borrowing func withNumber<R, E: Error>(
    _ body: (CInt) throws(E) -> R
  ) throws(E) -> R { try body(raw) }
}

extension OwnedDescriptor {
  /// A stream socket, close-on-exec and non-blocking from birth.
  static func streamSocket(_ family: CInt) throws(SystemError) -> OwnedDescriptor {
    let type =
      CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let number = try systemCall("socket") { socket(family, type, 0) }
    return OwnedDescriptor(adopting: number)
  }

  borrowing func setOption(
    _ level: CInt, _ option: CInt, to value: CInt
  ) throws(SystemError) {
    var value = value
    let size = socklen_t(MemoryLayout<CInt>.size)
    _ = try systemCall("setsockopt") { setsockopt(raw, level, option, &value, size) }
  }

  borrowing func option(_ level: CInt, _ option: CInt) throws(SystemError) -> CInt {
    var value: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    _ = try systemCall("getsockopt") { getsockopt(raw, level, option, &value, &size) }
    return value
  }

  /// For a descriptor that was not born here: passed by the service manager.
  borrowing func setCloseOnExecAndNonBlocking() throws(SystemError) {
    _ = try systemCall("fcntl") { fcntl(raw, F_SETFD, FD_CLOEXEC) }
    let flags = try systemCall("fcntl") { fcntl(raw, F_GETFL) }
    _ = try systemCall("fcntl") { fcntl(raw, F_SETFL, flags | O_NONBLOCK) }
  }
}

extension OwnedDescriptor {
  /// A second descriptor of the same open file, with an owner of its own.
  package borrowing func duplicate() throws(SystemError) -> OwnedDescriptor {
    let number = try withNumber { (number) throws(SystemError) in
      try systemCall("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 3) }
    }
    return OwnedDescriptor(adopting: number)
  }

  /// The same for a descriptor that belongs to the process.
  static func duplicate(of number: CInt) throws(SystemError) -> OwnedDescriptor {
    let copy = try systemCall("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 3) }
    return OwnedDescriptor(adopting: copy)
  }
}
