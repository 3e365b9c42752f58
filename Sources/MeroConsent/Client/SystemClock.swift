import EventLoop
import FoundationEssentials

extension ClientClock {
  /// The machine's.
  package static let system = ClientClock(
    now: { Date() },
    uptime: { .nanoseconds(BootInstant.now.nanoseconds) },
    sleep: { duration throws(CancellationError) in try await LoopActor.sleep(for: duration) },
    chance: { Double.random(in: 0...1) })
}
