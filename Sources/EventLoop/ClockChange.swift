import CLinux
import Glibc

/// Tells when the wall clock was set, by a person, by NTP in one step, or at a resume: whoever
/// waits for a wall-clock time computes anew.
@LoopActor package final class ClockChange {
  private var watch: Watch?

  package init(_ onChange: @escaping @LoopActor () -> Void) throws(SystemError) {
    let flags = CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK)
    let number = try systemCall("timerfd_create") { timerfd_create(CLOCK_REALTIME, flags) }
    let descriptor = OwnedDescriptor(adopting: number)
    try Self.arm(number)
    watch = try Watch(descriptor, for: .readable) { _ in
      // read(2) answers ECANCELED once for each change, and arms it for the next.
      var ticks: UInt64 = 0
      let result = Glibc.read(number, &ticks, MemoryLayout<UInt64>.size)
      if result == -1 && errno == ECANCELED { onChange() }
    }
  }

  isolated deinit { stop() }

  package func stop() {
    watch?.close()
    watch = nil
  }

  /// A timer that never fires; only its cancellation is wanted.
  private static func arm(_ number: CInt) throws(SystemError) {
    var never = itimerspec()
    never.it_value.tv_sec = Int(Int32.max) * 1000
    let flags = CInt(TFD_TIMER_ABSTIME) | CInt(TFD_TIMER_CANCEL_ON_SET)
    _ = try systemCall("timerfd_settime") { timerfd_settime(number, flags, &never, nil) }
  }
}
