import Sealed
import Synchronization

/// A clock that a test moves. Who sleeps on it wakes when the test says so, and a test can wait
/// until somebody sleeps.
final class ManualClock: Sendable {
  private struct Sleeper {
    let end: Duration
    let waiter: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now = Duration.seconds(1_000_000)
    var sleepers: [Int: Sleeper] = [:]
    var watchers: [(pause: Duration, waiter: CheckedContinuation<Void, Never>)] = []
    var next = 0
  }

  private let state = Mutex(State())

  var sealed: SealedClock {
    SealedClock(now: { self.now }, sleep: { try await self.sleep($0) })
  }

  var now: Duration { state.withLock { $0.now } }

  var sleepers: Int { state.withLock { $0.sleepers.count } }

  func advance(by step: Duration) {
    let due = state.withLock { state in
      state.now += step
      let due = state.sleepers.filter { $0.value.end <= state.now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.values.map(\.waiter)
    }
    for waiter in due { waiter.resume(returning: true) }
  }

  /// Returns once somebody sleeps who was promised to be woken after `pause` from now.
  func untilSomebodySleeps(for pause: Duration) async {
    await withCheckedContinuation { waiter in
      let there = state.withLock { state in
        if state.sleepers.values.contains(where: { $0.end == state.now + pause }) { return true }
        state.watchers.append((pause, waiter))
        return false
      }
      if there { waiter.resume() }
    }
  }

  private func sleep(_ pause: Duration) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    let woken = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in fallAsleep(number, pause, waiter) }
    } onCancel: {
      // May come before the sleeper is in its place: then it is told there.
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.waiter.resume(returning: false)
    }
    if !woken { throw CancellationError() }
  }

  private func fallAsleep(
    _ number: Int, _ pause: Duration, _ waiter: CheckedContinuation<Bool, Never>
  ) {
    let watchers = state.withLock { state in
      state.sleepers[number] = Sleeper(end: state.now + pause, waiter: waiter)
      let seen = state.watchers.filter { $0.pause == pause }
      state.watchers.removeAll { $0.pause == pause }
      return seen
    }
    for watcher in watchers { watcher.waiter.resume() }
    guard Task.isCancelled else { return }
    let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
    sleeper?.waiter.resume(returning: false)
  }
}
