import CLinux

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
    takeGlobalJobs()
    Task { @LoopActor in await main() }
    LoopExecutor.shared.run()
  }

  /// Lets `runOnThisThread` return after the jobs that run now, from any thread. What is still
  /// suspended or queued then stays so: whoever needs an orderly end awaits it before.
  package static func stop() { LoopExecutor.shared.stop() }

  /// Has the runtime put the jobs of no executor on the loop, instead of a pool of threads.
  ///
  /// The runtime resumes every continuation as such a job, and only then the task goes where its
  /// function belongs: with the pool, that is two changes of thread for each read that had to
  /// wait (a third of the requests a second, measured), and threads that a daemon has no other
  /// use for. What is to run beside the loop has an executor of its own (`ThreadExecutor`).
  private static func takeGlobalJobs() {
    clinux_take_global_jobs { job, _ in
      // An UnownedJob is the runtime's pointer and nothing else.
      LoopExecutor.shared.add(unsafeBitCast(job, to: UnownedJob.self))
    }
  }
}
