extension LoopActor {
  /// Sleeps for `duration` of CLOCK_BOOTTIME, which counts suspended time.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled.
  @LoopActor package static func sleep(for duration: Duration) async throws(CancellationError) {
    try await sleep(until: .now + duration)
  }

  /// Sleeps until `deadline`; returns at once when it has passed.
  @LoopActor package static func sleep(
    until deadline: BootInstant
  ) async throws(CancellationError) {
    let nap = Nap()
    let slept = await withTaskCancellationHandler {
      await nap.sleep(until: deadline)
    } onCancel: {
      // The handler runs wherever `cancel()` was called.
      Task { @LoopActor in nap.end(slept: false) }
    }
    if !slept { throw CancellationError() }
  }
}

/// One sleep: ended by its timer or by cancellation, whichever is first.
@LoopActor private final class Nap {
  private let timer = LoopTimer()
  private var sleeper: UnsafeContinuation<Bool, Never>?

  init() {}

  func sleep(until deadline: BootInstant) async -> Bool {
    // A cancellation before this point found no sleeper to wake.
    if Task.isCancelled { return false }
    return await withUnsafeContinuation { continuation in
      sleeper = continuation
      timer.arm(at: deadline) { self.end(slept: true) }
    }
  }

  func end(slept: Bool) {
    timer.disarm()
    sleeper?.resume(returning: slept)
    sleeper = nil
  }
}
