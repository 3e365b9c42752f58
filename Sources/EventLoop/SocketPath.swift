import CLinux
import Glibc

/// The file of a Unix socket that this process made.
struct SocketPath: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// - Returns: `nil` when it is already gone.
  init?(_ path: String) {
    guard let status = Self.status(path) else { return nil }
    self.path = path
    device = status.st_dev
    inode = status.st_ino
  }

  /// Removes the file unless somebody has put another one in its place.
  func remove() {
    guard let now = Self.status(path), now.st_dev == device, now.st_ino == inode else { return }
    _ = unlink(path)
  }

  /// Whether `path` is a socket on which nobody listens any more.
  static func isAbandoned(_ path: String) -> Bool {
    guard let status = status(path), status.st_mode & S_IFMT == S_IFSOCK else { return false }
    do {
      let probe = try OwnedDescriptor.streamSocket(AF_UNIX)
      let number = probe.withNumber { $0 }
      try SocketAddress.unix(path: path).withKernelForm { form, length throws(SystemError) in
        _ = try systemCall("connect") { connect(number, form, length) }
      }
      return false
    } catch {
      return error.code == ECONNREFUSED
    }
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }
}
