import CLinux
import Glibc

/// Where this process's words go.
package enum StandardError {
  /// A person's terminal.
  package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether it is the stream to the journal that the service manager made: JOURNAL_STREAM
  /// names it by device and inode (systemd.exec(5)).
  package static var isJournal: Bool {
    guard let named = getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return String(cString: named) == "\(status.st_dev):\(status.st_ino)"
  }
}
