/// One call that sleeps until something changes, its time is up, or it is cancelled.
@LoopActor package final class Waiter {
  private var isSignalled = false
  private var sleeper: UnsafeContinuation<Void, Never>?
  private let timer = LoopTimer()

  package init() {}

  /// Wakes the call, or keeps it from falling asleep.
  package func signal() {
    isSignalled = true
    wake()
  }

  /// Returns at once where a signal came since the last call: none is missed in between.
  ///
  /// - Returns: whether there was a signal; `false` at `deadline` and when the task is cancelled.
  package func wait(until deadline: BootInstant) async -> Bool {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        // Looked at here, where nothing can come between the look and the sleep.
        guard !isSignalled, !Task.isCancelled, deadline > .now else { return continuation.resume() }
        sleeper = continuation
        timer.arm(at: deadline) { [weak self] in self?.wake() }
      }
    } onCancel: {
      Task { @LoopActor in self.wake() }
    }
    timer.disarm()
    defer { isSignalled = false }
    return isSignalled
  }

  private func wake() {
    sleeper?.resume()
    sleeper = nil
  }
}
