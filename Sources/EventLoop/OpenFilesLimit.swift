import CLinux
import Glibc

/// How many descriptors this process may have.
package enum OpenFilesLimit {
  package static var current: (soft: UInt, hard: UInt) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return (UInt(limit.rlim_cur), UInt(limit.rlim_max))
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
