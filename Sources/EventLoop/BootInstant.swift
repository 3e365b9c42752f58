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

  package static func + (left: Self, right: Duration) -> Self {
    let (seconds, attoseconds) = right.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return BootInstant(nanoseconds: seconds < 0 ? .min : .max) }
    let (sum, past) = left.nanoseconds.addingReportingOverflow(scaled + attoseconds / 1_000_000_000)
    return BootInstant(nanoseconds: past ? .max : sum)
  }

  package static func - (left: Self, right: Self) -> Duration {
    .nanoseconds(left.nanoseconds - right.nanoseconds)
  }
}
