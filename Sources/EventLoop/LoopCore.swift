import CLinux
import Glibc

/// What the loop's thread owns: the poller, who is waiting for which descriptor, and the timers.
@LoopActor final class LoopCore {
  static let shared = LoopCore()

  private let poller = Poller()
  private var registrations = Registrations()
  var timers = TimerHeap()

  /// Waits for events (or only looks, when there is work to do) and tells who waits for them.
  func turn(sleep: Bool) {
    if let deadline = timers.deadlineToSet() { poller.setTimer(deadline) }
    let count = poller.wait(sleep: sleep)
    for index in 0..<count {
      let (data, events) = poller.event(index)
      switch data {
      case Poller.wakeUpMark: break
      case Poller.timerMark: fireDueTimers()
      default: registrations.target(of: data)?.ready(Readiness(rawValue: events))
      }
    }
  }

  func watchWakeUps(of wakeUp: borrowing WakeUp) {
    wakeUp.withNumber { number in poller.watchWakeUps(number) }
  }

  // MARK: Descriptors

  /// - Throws: `ENOSPC` and `ENOMEM` of `epoll_ctl`, `EPERM` for a descriptor that cannot be
  ///   watched (a regular file), `EEXIST` for one that already is.
  func register(
    _ number: CInt, for interest: Interest, target: any EventTarget
  ) throws(SystemError) -> Registration {
    let registration = registrations.add(target)
    do {
      try poller.control(EPOLL_CTL_ADD, number, interest, registration.data)
    } catch {
      registrations.remove(registration)
      throw error
    }
    return registration
  }

  func change(
    _ registration: Registration, _ number: CInt, to interest: Interest
  ) throws(SystemError) {
    try poller.control(EPOLL_CTL_MOD, number, interest, registration.data)
  }

  /// After this no event reaches the target, not even one that was already collected.
  ///
  /// The kernel watches an open file description, not a number: closing alone would leave it
  /// watched for as long as some child holds a copy.
  func deregister(_ registration: Registration, _ number: CInt) {
    registrations.remove(registration)
    // It fails only for a descriptor that its foreign owner (libcurl) has already closed.
    try? poller.control(EPOLL_CTL_DEL, number, [], 0)
  }
}

/// Who is told of a descriptor's events.
@LoopActor protocol EventTarget: AnyObject {
  func ready(_ readiness: Readiness)
}

/// What the kernel reported.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The peer has ended its side: after what it has sent comes the end.
  package static let peerEnded = Readiness(rawValue: EPOLLRDHUP.rawValue)
  /// Both directions are over.
  package static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
  package static let failed = Readiness(rawValue: EPOLLERR.rawValue)
}

/// What a watcher wants to hear of; hang-ups and errors are always told.
package struct Interest: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let readable = Interest(rawValue: EPOLLIN.rawValue)
  package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
  package static let peerEnded = Interest(rawValue: EPOLLRDHUP.rawValue)
  /// One event for each change, instead of one for each look while the state lasts.
  package static let onChange = Interest(rawValue: EPOLLET.rawValue)
}
