import EventLoop
import Glibc
import Testing

@Suite struct PreferredExecutorTests {
  /// Not isolated to the loop, so that nothing but the preference keeps it there.
  @concurrent private static func threadAfterWaiting() async -> UInt {
    await withUnsafeContinuation { continuation in
      Task { @LoopActor in continuation.resume() }
    }
    return UInt(pthread_self())
  }

  @Test func aTaskThatPrefersTheLoopIsResumedOnItsThread() async {
    let loop = await Task { @LoopActor in UInt(pthread_self()) }.value
    let preferring = await Task(executorPreference: LoopActor.executor) {
      await Self.threadAfterWaiting()
    }.value
    #expect(preferring == loop)
    let other = await Task.detached { await Self.threadAfterWaiting() }.value
    #expect(other != loop)
  }
}
