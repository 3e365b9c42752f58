import CLinux
import Glibc

/// What a process that will hold secrets does before it reads anything.
package enum ProcessGuard {
  /// From here on no other process of the same user can read this one's memory, environment or
  /// descriptors, or attach to it; a crash ends it without a dump or a helper that reads it; and what it makes is nobody else's.
  ///
  /// - Precondition: called first thing in `main`, while there is one thread.
  package static func raise() {
    // It cannot fail for these arguments (prctl(2)); a guard that is not there must not be
    // taken for one.
    precondition(clinux_set_not_dumpable() == 0, "prctl(PR_SET_DUMPABLE)")
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    umask(0o077)
    // Swift's runtime answers a crash by starting a helper, which is dumpable again and serves our
    // memory over a socket: another process of the same user could send SIGSEGV and read it there.
    // Without its handlers a crash ends the process at once.
    for number in [SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGQUIT, SIGSYS] {
      signal(number, SIG_DFL)
    }
  }

  package static var isRaised: Bool { clinux_is_dumpable() == 0 }
}
