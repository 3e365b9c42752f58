import EventLoop
import Testing

@testable import ConsentBroker

/// What a test waited for did not come.
struct NeverHeld: Error {}

extension LoopActor {
  /// Returns once `condition` holds.
  ///
  /// - Throws: `NeverHeld` after a time that is long for the slowest machine.
  @LoopActor static func until(_ condition: @LoopActor () async throws -> Bool) async throws {
    let end = BootInstant.now + .minutes(5)
    while try await !condition() {
      guard BootInstant.now < end else { throw NeverHeld() }
      try await sleep(for: .milliseconds(1))
    }
  }

  /// What a call comes to that is to end by itself, also where a mistake has it wait for ever.
  @LoopActor static func end<R: Sendable>(
    of call: @escaping @LoopActor () async -> R
  ) async throws -> R {
    var result: R?
    Task { result = await call() }
    try await until { result != nil }
    return try #require(result)
  }

  /// For what must not happen: returns once all that was ready on the loop has run, what that made
  /// ready in its turn, and so on for twenty turns, with the timers that were due.
  ///
  /// A yield leaves the loop and comes back behind all that is ready there, in a later turn. It
  /// waits for no other thread and no time: what the disk or a node has to answer first is waited
  /// for by a count of what is under way.
  @LoopActor static func drain() async { for _ in 1...20 { await Task.yield() } }
}

extension LoopActor {
  /// Returns once what was ready on the loop has run, without leaving it: for what has to happen
  /// before the broker's own patience is over, however long other threads wait for the machine.
  @LoopActor static func turn() async { await Task { @LoopActor in }.value }
}

extension BrokerFixture {
  /// Returns once no read of a node and no verdict is under way.
  func quiet() async throws {
    await LoopActor.drain()
    try await LoopActor.until { broker.readsUnderWay == 0 && broker.judgingsUnderWay == 0 }
  }
}
