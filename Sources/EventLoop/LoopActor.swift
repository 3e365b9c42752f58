import Glibc

/// The one thread that runs all networking and the broker.
///
/// What is isolated to it needs no locks, and calls between its members do not suspend. Its
/// executor is the event loop: a program runs it on its main thread
/// (`EventLoop.runOnThisThread`), in a library it starts a thread of its own at first use.
@globalActor package actor LoopActor {
  package static let shared = LoopActor()

  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    LoopExecutor.shared.asUnownedSerialExecutor()
  }
}

extension LoopActor {
  /// Runs `body` at once, for a caller that is on the loop's thread but cannot prove it to the
  /// compiler: a callback of a C library.
  ///
  /// - Precondition: this is the loop's thread.
  nonisolated package static func assumeIsolated<R, E: Error>(
    _ body: @LoopActor () throws(E) -> R
  ) throws(E) -> R {
    typealias Isolated = @LoopActor () throws(E) -> R
    typealias Plain = () throws(E) -> R
    LoopExecutor.shared.checkIsolated()
    // The two types differ only in the isolation that was just checked. The standard library's
    // `MainActor.assumeIsolated` drops it in the same way.
    let run = { (isolated: @escaping Isolated) throws(E) -> R in
      try unsafeBitCast(isolated, to: Plain.self)()
    }
    return try withoutActuallyEscaping(body, do: run)
  }
}
