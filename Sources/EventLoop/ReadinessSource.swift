/// Watches a descriptor that somebody else owns and closes: a C library's socket.
@LoopActor package final class ReadinessSource {
  private let number: CInt
  private let relay: Relay
  private var registration: Registration?

  /// The loop holds what `onReady` captures until `cancel()` or the end of this object. The
  /// events are level-triggered: they are told again for as long as the state lasts.
  ///
  /// - Precondition: `descriptor` stays open until `cancel()`. A number that was closed earlier
  ///   does no harm, its late events are dropped.
  /// - Throws: as `epoll_ctl` does, such as `EEXIST` when the loop watches this descriptor already.
  package init(
    watching descriptor: CInt, for interest: Interest,
    _ onReady: @escaping @LoopActor (Readiness) -> Void
  ) throws(SystemError) {
    number = descriptor
    relay = Relay(onReady)
    registration = try LoopCore.shared.register(descriptor, for: interest, target: relay)
  }

  isolated deinit { cancel() }

  package func change(to interest: Interest) throws(SystemError) {
    guard let registration else { return }
    try LoopCore.shared.change(registration, number, to: interest)
  }

  /// After this `onReady` is not called, not even for an event that was already collected.
  package func cancel() {
    guard let registration else { return }
    self.registration = nil
    LoopCore.shared.deregister(registration, number)
  }

  /// What the loop holds, so that it does not hold the source.
  private final class Relay: EventTarget {
    private let action: @LoopActor (Readiness) -> Void
    init(_ action: @escaping @LoopActor (Readiness) -> Void) { self.action = action }
    func ready(_ readiness: Readiness) { action(readiness) }
  }
}
