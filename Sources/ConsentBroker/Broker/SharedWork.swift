import EventLoop

/// Work that goes on whoever waits for it, with its result for everybody who does.
///
/// Who waits and is cancelled, as the handler of a client that has left is, is gone at once. So what
/// waits for a node is as much as there is work, and not as much as there were clients.
@LoopActor final class SharedWork<Value: Sendable> {
  private var value: Value?
  private var waiters: [ObjectIdentifier: Waiter] = [:]

  init(_ work: @escaping @LoopActor () async -> Value) {
    Task { end(await work()) }
  }

  private func end(_ value: Value) {
    self.value = value
    for waiter in waiters.values { waiter.signal() }
    waiters = [:]
  }

  /// - Returns: `nil` where the task that waits was cancelled before.
  func result() async -> Value? {
    let waiter = Waiter()
    waiters[ObjectIdentifier(waiter)] = waiter
    defer { waiters[ObjectIdentifier(waiter)] = nil }
    while value == nil, !Task.isCancelled { _ = await waiter.wait(until: .now + .hours(1)) }
    return value
  }
}
