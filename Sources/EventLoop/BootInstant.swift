import CLinux  // In a clean build its module may be the one that owns timespec.
import Glibc

/// A moment on CLOCK_BOOTTIME, which goes on while the machine is suspended.
package struct BootInstant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the machine started.
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static var now: BootInstant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return BootInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Saturates.
  package static func + (left: Self, right: Duration) -> Self {
    let (seconds, attoseconds) = right.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return BootInstant(nanoseconds: seconds < 0 ? .min : .max) }
    let (right, over) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    let (sum, past) = left.nanoseconds.addingReportingOverflow(right)
    guard !over, !past else { return BootInstant(nanoseconds: seconds < 0 ? .min : .max) }
    return BootInstant(nanoseconds: sum)
  }

  package static func - (left: Self, right: Self) -> Duration {
    .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
  }
}
