import EventLoop
import Testing

@Suite struct LoopTimerTests {
  @Test @LoopActor func firesOnceAtItsMoment() async {
    let timer = LoopTimer()
    let deadline = BootInstant.now + .milliseconds(20)
    var calls = 0
    await withUnsafeContinuation { continuation in
      timer.arm(at: deadline) {
        calls += 1
        continuation.resume()
      }
    }
    #expect(BootInstant.now >= deadline)
    #expect(calls == 1)
    #expect(!timer.isArmed)
  }

  @Test @LoopActor func firesInOrderWhateverTheOrderOfArming() async {
    var order: [Int] = []
    let timers = (0..<50).map { _ in LoopTimer() }
    let start = BootInstant.now + .milliseconds(5)
    await withUnsafeContinuation { continuation in
      for index in (0..<50).map({ $0 * 7 % 50 }) {
        timers[index].arm(at: start + .microseconds(index * 100)) {
          order.append(index)
          if order.count == 50 { continuation.resume() }
        }
      }
    }
    #expect(order == Array(0..<50))
  }

  @Test @LoopActor func aDisarmedTimerIsNotCalled() async throws {
    let timers = (0..<20).map { _ in LoopTimer() }
    var fired: [Int] = []
    let deadline = BootInstant.now + .milliseconds(10)
    for (index, timer) in timers.enumerated() {
      timer.arm(at: deadline) { fired.append(index) }
    }
    for index in stride(from: 0, to: 20, by: 2) { timers[index].disarm() }
    try await LoopActor.sleep(until: deadline + .milliseconds(1))
    #expect(fired.sorted() == Array(stride(from: 1, to: 20, by: 2)))
  }

  @Test @LoopActor func anActionMayDisarmATimerThatIsDueWithIt() async throws {
    let first = LoopTimer()
    let second = LoopTimer()
    let deadline = BootInstant.now + .milliseconds(5)
    var fired = ""
    first.arm(at: deadline) {
      fired += "first"
      second.disarm()
    }
    second.arm(at: deadline + .nanoseconds(1)) { fired += "second" }
    try await LoopActor.sleep(until: deadline + .milliseconds(5))
    #expect(fired == "first")
  }

  @Test @LoopActor func aSleepEndsWhenItsTaskIsCancelled() async {
    let sleeping = Task { try await LoopActor.sleep(for: .seconds(3600)) }
    await Task.yield()
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }

  @Test @LoopActor func aCancelledTaskDoesNotSleep() async {
    let sleeping = Task { try await LoopActor.sleep(for: .seconds(3600)) }
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }
}
