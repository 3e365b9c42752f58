import CLinux
import Glibc

/// An eventfd: any thread ends the loop's sleep with it.
struct WakeUp: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor

  /// - Precondition: the process has a descriptor left; without one there can be no loop.
  init() {
    let number = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    precondition(number != -1, "eventfd: \(String(cString: strerror(errno)))")
    descriptor = OwnedDescriptor(adopting: number)
  }

  // Never read: it is watched edge-triggered, where each write is an event of its own, and
  // 2^64 writes are out of reach.
  borrowing func signal() {
    descriptor.withNumber { number in _ = eventfd_write(number, 1) }
  }

  borrowing func withNumber<R>(_ body: (CInt) -> R) -> R { descriptor.withNumber(body) }
}
