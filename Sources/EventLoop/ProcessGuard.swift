import CLinux
import Glibc

/// What a process that will hold secrets does before it reads anything.
package enum ProcessGuard {
  /// From here on no other process of the same user can read this one's memory, environment or
  /// descriptors, or attach to it; a crash ends it without a dump or a helper that reads it; and
  /// what it makes is nobody else's.
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

  /// The process that traces this one (ptrace(2)), as a debugger does; `nil` when none does.
  ///
  /// After `raise()` nobody can attach any more, so one look is enough: whoever was faster is
  /// seen here.
  package static var tracer: Int32? {
    guard let status = try? Files.read("/proc/self/status", limit: 16_384) else { return nil }
    return tracer(inStatus: String(decoding: status, as: UTF8.self))
  }

  /// - Parameter status: the text of `/proc/PID/status` (proc(5)).
  package static func tracer(inStatus status: String) -> Int32? {
    for line in status.split(separator: "\n") where line.hasPrefix("TracerPid:") {
      let number = line.dropFirst("TracerPid:".count).filter { $0.isASCII && $0.isNumber }
      return Int32(number).flatMap { $0 == 0 ? nil : $0 }
    }
    return nil
  }
}
