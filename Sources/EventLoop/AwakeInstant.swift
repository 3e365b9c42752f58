import CLinux  // In a clean build its module may be the one that owns timespec.
import Glibc

/// A moment on CLOCK_MONOTONIC, which stands still while the machine is suspended: for how long
/// somebody could have done something, and did not.
package struct AwakeInstant: Comparable, Hashable, Sendable {
  /// Nanoseconds of the machine's time awake; negative before its start.
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static var now: AwakeInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return AwakeInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Saturates.
  package static func + (left: Self, right: Duration) -> Self {
    AwakeInstant(nanoseconds: (BootInstant(nanoseconds: left.nanoseconds) + right).nanoseconds)
  }

  package static func - (left: Self, right: Self) -> Duration {
    .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
  }
}
