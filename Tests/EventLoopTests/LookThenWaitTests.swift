import EventLoop
import Testing

/// What every wait on the loop relies on: it looks, finds nothing, and waits, and nothing that
/// could have changed what it saw runs in between.
@LoopActor @Suite struct LookThenWaitTests {
  private final class Flag: Sendable {
    @LoopActor var isSet = false
    nonisolated init() {}
  }

  @Test func nothingRunsBetweenALookAndTheWait() async {
    let flag = Flag()
    // Queued, and run as soon as this task lets go of the loop.
    let setter = Task { @LoopActor in flag.isSet = true }
    let seen = await withUnsafeContinuation { continuation in
      continuation.resume(returning: flag.isSet)
    }
    #expect(!seen)
    await setter.value
  }

  @Test func nothingRunsInACallOfAnotherMember() async {
    let flag = Flag()
    let setter = Task { @LoopActor in flag.isSet = true }
    let seen = await look(flag)
    #expect(!seen)
    await setter.value
  }

  private func look(_ flag: Flag) async -> Bool { flag.isSet }
}
