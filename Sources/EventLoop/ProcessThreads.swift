import CLinux
import Glibc

/// The threads of this process, those of its libraries too.
package enum ProcessThreads {
  /// How many there are; `nil` where the kernel does not say. One system call.
  package static var count: Int? {
    var status = stat()
    guard stat("/proc/self/task", &status) == 0 else { return nil }
    // A directory has two links, and this one another for each thread.
    return status.st_nlink > 2 ? Int(status.st_nlink) - 2 : nil
  }
}
