import CLinux  // In a clean build its module may be the one that owns timespec.
import Glibc

/// A moment on the wall clock (CLOCK_REALTIME), which people and NTP may set.
package struct WallInstant: Comparable, Hashable, Sendable {
  /// Nanoseconds since 1970-01-01 00:00:00 UTC.
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static var now: WallInstant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Saturates.
  package static func + (left: Self, right: Duration) -> Self {
    WallInstant(nanoseconds: (BootInstant(nanoseconds: left.nanoseconds) + right).nanoseconds)
  }

  package static func - (left: Self, right: Self) -> Duration {
    .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
  }
}

extension BootInstant {
  /// How long the machine has been suspended since it started. Connections that were open
  /// before this grew are likely dead.
  package static var timeSuspended: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let awake = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    return .nanoseconds(BootInstant.now.nanoseconds - awake)
  }
}
