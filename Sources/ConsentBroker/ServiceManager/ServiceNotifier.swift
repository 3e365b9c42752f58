import CSystemd
package import EventLoop
import Glibc

/// Tells the service manager about this process (sd_notify(3)). Without one it does nothing.
@LoopActor package final class ServiceNotifier {
  /// How often the watchdog is fed, a third of what the manager allows; `nil` when it is off or
  /// meant for another process (`WATCHDOG_PID`).
  package let watchdogInterval: Duration?
  /// The watchdog's variables cannot be read: it is not fed.
  package let watchdogIsUnreadable: Bool

  private let watchdog = LoopTimer()

  /// Whether there is anybody to tell.
  package var hasManager: Bool { getenv("NOTIFY_SOCKET") != nil }

  package init() {
    var microseconds: UInt64 = 0
    // 0: off or another process's; negative: a value that is no number.
    let state = sd_watchdog_enabled(0, &microseconds)
    watchdogInterval =
      state > 0 ? .microseconds(Int64(clamping: microseconds / 3)) : nil
    watchdogIsUnreadable = state < 0
  }

  /// All listeners are open: clients may come.
  package func ready() { send("READY=1") }

  package func stopping() { send("STOPPING=1") }

  /// One line for `systemctl status`. Counts only, nothing that is anybody's.
  package func status(_ text: String) { send("STATUS=\(text)") }

  /// Tells of a reload, as systemd 252 has it: this, the work, then `ready()`.
  package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())") }

  /// Feeds the watchdog from the loop itself, so that a loop that is stuck is killed.
  package func startWatchdog() {
    guard let watchdogInterval else { return }
    send("WATCHDOG=1")
    watchdog.arm(at: .now + watchdogInterval) { [weak self] in self?.startWatchdog() }
  }

  /// Puts a descriptor into the manager's store under `name`: it comes back after a crash or a
  /// restart, not after a stop. FDPOLL=0 keeps the manager from dropping it on hang-up.
  ///
  /// - Returns: false when there is no manager. One that has no room for it does not say so: see
  ///   `limit()`.
  package func store(_ descriptor: borrowing OwnedDescriptor, named name: String) -> Bool {
    descriptor.withNumber { number in
      var number = number
      return sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0", &number, 1) > 0
    }
  }

  package func removeStored(named name: String) { send("FDSTOREREMOVE=1\nFDNAME=\(name)") }

  private func send(_ message: String) {
    // A manager that does not listen changes nothing about our work.
    _ = sd_notify(0, message)
  }
}

private func monotonicMicroseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
