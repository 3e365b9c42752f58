/// The loop as a program's main sees it. A library needs none of this: the loop starts a
/// thread of its own when something first runs on `LoopActor`.
package enum EventLoop {
  /// Makes this thread the loop's, starts `main` on it, and returns after `stop()`.
  ///
  /// A program calls it before anything else uses `LoopActor`, as otherwise the loop would
  /// already have its own thread.
  ///
  /// - Precondition: no thread runs the loop.
  package static func runOnThisThread(
    _ main: @escaping @LoopActor @Sendable () async -> Void = {}
  ) {
    LoopExecutor.shared.claim()
    Task { @LoopActor in await main() }
    LoopExecutor.shared.run()
  }

  /// Lets `runOnThisThread` return after the jobs that run now, from any thread. What is still
  /// suspended or queued then stays so: whoever needs an orderly end awaits it before.
  package static func stop() { LoopExecutor.shared.stop() }
}
