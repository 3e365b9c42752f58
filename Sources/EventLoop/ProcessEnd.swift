import CLinux  // In a clean build its module may be the one that owns the types of signals.
import Glibc

/// Ends of a process that its parent can tell from an exit.
package enum ProcessEnd {
  /// Ends this process by a signal, as if it had never handled it: a shell then stops its script,
  /// as the person who pressed Ctrl-C expects, and takes a reader that has left for what it is.
  package static func by(_ signal: CInt) -> Never {
    Glibc.signal(signal, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    _ = kill(getpid(), signal)
    // A signal that this thread does not block is delivered before kill returns; a parent that
    // made us ignore it gets the number that shells use.
    _exit(128 + signal)
  }
}
