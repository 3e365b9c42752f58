import CLinux
import Glibc

/// What a process that will hold secrets does before it reads anything.
package enum ProcessGuard {
  /// From here on no other process of the same user can read this one's memory, environment or
  /// descriptors, or attach to it; it leaves no core dump; and what it makes is nobody else's.
  ///
  /// - Precondition: called first thing in `main`, while there is one thread.
  package static func raise() {
    // It cannot fail for these arguments (prctl(2)); a guard that is not there must not be
    // taken for one.
    precondition(clinux_set_not_dumpable() == 0, "prctl(PR_SET_DUMPABLE)")
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    umask(0o077)
  }

  package static var isRaised: Bool { clinux_is_dumpable() == 0 }
}
