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
