import CLinux
import Glibc

/// The epoll descriptor, its buffer of events, and the one timer of the kernel that the loop uses.
///
/// The timer is a timerfd, not a time-out of `epoll_wait`: that one counts CLOCK_MONOTONIC,
/// which stands still while the machine is suspended.
struct Poller: ~Copyable {
  static let wakeUpMark: UInt64 = .max
  static let timerMark: UInt64 = .max - 1

  /// Events taken in one look; more stay with the kernel for the next.
  private static let eventsPerTurn = 256

  private let epoll: OwnedDescriptor
  private let timer: OwnedDescriptor
  private let events: UnsafeMutablePointer<epoll_event>

  /// - Precondition: the process has descriptors left; without them there can be no loop.
  init() {
    epoll = Self.open("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) }
    timer = Self.open("timerfd_create") {
      timerfd_create(CLOCK_BOOTTIME, CInt(TFD_CLOEXEC | TFD_NONBLOCK))
    }
    events = .allocate(capacity: Self.eventsPerTurn)
    watch(timer.withNumber { $0 }, mark: Self.timerMark)
  }

  deinit { events.deallocate() }

  private static func open(_ call: String, _ body: () -> CInt) -> OwnedDescriptor {
    do {
      return OwnedDescriptor(adopting: try systemCall(call, body))
    } catch {
      preconditionFailure("there is no event loop without it: \(error)")
    }
  }

  /// - Returns: how many events there are, 0 when only looking or interrupted.
  borrowing func wait(sleep: Bool) -> Int {
    let limit = CInt(Self.eventsPerTurn)
    let count = epoll.withNumber { epoll_wait($0, events, limit, sleep ? -1 : 0) }
    return Int(max(count, 0))
  }

  borrowing func event(_ index: Int) -> (data: UInt64, events: UInt32) {
    (events[index].data.u64, events[index].events)
  }

  borrowing func control(
    _ operation: CInt, _ number: CInt, _ interest: Interest, _ data: UInt64
  ) throws(SystemError) {
    var event = clinux_epoll_event(interest.rawValue, data)
    let result = epoll.withNumber { epoll_ctl($0, operation, number, &event) }
    if result == -1 { throw SystemError(call: "epoll_ctl", code: errno) }
  }

  borrowing func watchWakeUps(_ number: CInt) {
    // EEXIST: the loop was stopped and runs again.
    watch(number, mark: Self.wakeUpMark)
  }

  private borrowing func watch(_ number: CInt, mark: UInt64) {
    do {
      try control(EPOLL_CTL_ADD, number, [.readable, .onChange], mark)
    } catch {
      precondition(error.code == EEXIST, "there is no event loop without it: \(error)")
    }
  }

  /// Neither is the timer ever read: setting it anew clears what it has counted.
  borrowing func setTimer(_ deadline: BootInstant) {
    // All zero would disarm it.
    let nanoseconds = max(deadline.nanoseconds, 1)
    var time = itimerspec()
    time.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
    time.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    let flags = CInt(TFD_TIMER_ABSTIME)
    let result = timer.withNumber { timerfd_settime($0, flags, &time, nil) }
    precondition(result == 0, "timerfd_settime: \(String(cString: strerror(errno)))")
  }
}
