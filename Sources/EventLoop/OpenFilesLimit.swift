import CLinux
import Glibc

/// How many descriptors this process may have.
package enum OpenFilesLimit {
  package static var current: (soft: UInt, hard: UInt) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return (UInt(limit.rlim_cur), UInt(limit.rlim_max))
  }

  /// Descriptors that accepting leaves free for everything else: the record, nodes, the desktop.
  private static let reserve: UInt = 64

  /// The first descriptor that is part of the reserve, at most a quarter of all.
  static var reserved: UInt {
    let (soft, _) = current
    return soft - min(reserve, soft / 4)
  }

  /// Whether no socket can be made at this moment, for want of descriptors or memory in this
  /// process or in the machine.
  package static var isExhausted: Bool {
    do {
      _ = try OwnedDescriptor.streamSocket(AF_UNIX)
      return false
    } catch {
      return isExhaustion(error.code)
    }
  }

  static func isExhaustion(_ code: CInt) -> Bool {
    code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM
  }

  /// Raises the soft limit to the hard one: the default of 1024 is a promise to programs that
  /// use `select`, which this one does not.
  ///
  /// - Returns: the limit now in force.
  @discardableResult package static func raise() -> UInt {
    let (_, hard) = current
    var limit = rlimit(rlim_cur: rlim_t(hard), rlim_max: rlim_t(hard))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return current.soft
  }
}
