import FoundationEssentials
import MeroConsent
import Synchronization

/// A clock that goes on only when somebody sleeps. It keeps each sleep.
final class TestClock: Sendable {
  private struct State {
    var elapsed = Duration.zero
    var pauses: [Duration] = []
  }

  /// This machine's clock at the beginning.
  let start: Date
  private let state = Mutex(State())

  init(start: Date = TestClock.noon) { self.start = start }

  /// 2026-12-01T12:00:00Z.
  static let noon = Date(timeIntervalSince1970: 1_796_126_400)

  var elapsed: Duration { state.withLock { $0.elapsed } }
  var pauses: [Duration] { state.withLock { $0.pauses } }

  func advance(by duration: Duration) { state.withLock { $0.elapsed += duration } }

  /// - Parameter chance: what the jitter gets.
  func clock(chance: Double = 0) -> ClientClock {
    ClientClock(
      now: { self.start.addingTimeInterval(self.elapsed / .seconds(1)) },
      // Not zero at the beginning: a machine has been up for a while.
      uptime: { .seconds(1000) + self.elapsed },
      sleep: { duration throws(CancellationError) in
        if Task.isCancelled { throw CancellationError() }
        self.state.withLock {
          $0.pauses.append(duration)
          $0.elapsed += duration
        }
      },
      chance: { chance })
  }
}
