/// The time as the channel sees it: given from outside, so that tests need not wait.
package struct SealedClock: Sendable {
  /// The time since a fixed moment, on a clock that goes on while the machine is suspended: the
  /// node's clock goes on too.
  package let now: @Sendable () -> Duration
  /// Returns after that time, on the same clock; throws when the task is cancelled.
  package let sleep: @Sendable (Duration) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }
}
