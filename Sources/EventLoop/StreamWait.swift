/// One direction of a stream: the task that waits there, and its deadline.
@LoopActor final class StreamWait {
  private var waiter: UnsafeContinuation<StreamError?, Never>?
  private var deadline: BootInstant?
  /// Made for the first wait that has a deadline: most streams never have one.
  private var timer: LoopTimer?

  init() {}

  var isWaiting: Bool { waiter != nil }

  /// Returns at `wake()`: the caller tries its call again.
  ///
  /// - Precondition: nobody else waits here.
  func wait(until deadline: BootInstant?) async throws(StreamError) {
    precondition(waiter == nil, "one task reads and one writes at a time")
    if let deadline, deadline <= .now { throw .timedOut }
    let failure = await withUnsafeContinuation { continuation in
      waiter = continuation
      deadlineChanged(to: deadline)
    }
    if let failure { throw failure }
  }

  /// The timer is only ever moved to an earlier moment: most waits end long before their
  /// deadline, and a connection that serves many requests would re-arm it for each.
  func deadlineChanged(to deadline: BootInstant?) {
    self.deadline = deadline
    guard waiter != nil, let deadline else { return }
    let timer = timer ?? LoopTimer()
    self.timer = timer
    if let armed = timer.armedFor, armed <= deadline { return }
    timer.arm(at: deadline) { [weak self] in self?.timerFired() }
  }

  func wake() { end(with: nil) }

  func end(with failure: StreamError?) {
    if failure != nil { timer?.disarm() }
    guard let waiter else { return }
    self.waiter = nil
    waiter.resume(returning: failure)
  }

  private func timerFired() {
    guard waiter != nil, let deadline else { return }
    if deadline <= .now { end(with: .timedOut) } else { deadlineChanged(to: deadline) }
  }
}
