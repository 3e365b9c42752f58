import EventLoop

/// Work that goes on whoever waits for it, with its result for everybody who does.
///
/// Who waits and is cancelled, as the handler of a client that has left is, is gone at once. So what
/// waits for a node is as much as there is work, and not as much as there were clients.
@LoopActor final class SharedWork<Value: Sendable> {
  private var value: Value?
  private var waiters: [ObjectIdentifier: Waiter] = [:]

  /// Called once nobody needs it: it has ended, or everybody who waited has left.
  private var onEnd: (@LoopActor () -> Void)?
  private var task: Task<Void, Never>?

  /// Work that is done by whoever calls `end`.
  init() {}

  convenience init(_ work: @escaping @LoopActor () async -> Value) {
    self.init()
    Task { end(await work()) }
  }

  /// Work that is cancelled when everybody who waited for it has left.
  ///
  /// - Parameter onEnd: called when it has ended, or is cancelled.
  convenience init(
    endingWhenLeft onEnd: @escaping @LoopActor () -> Void,
    _ work: @escaping @LoopActor () async -> Value
  ) {
    self.init()
    self.onEnd = onEnd
    task = Task { end(await work()) }
  }

  func end(_ value: Value) {
    self.value = value
    for waiter in waiters.values { waiter.signal() }
    waiters = [:]
    isOver()
  }

  private func isOver() {
    onEnd?()
    onEnd = nil
    task = nil
  }

  /// - Returns: `nil` where the task that waits was cancelled before.
  func result() async -> Value? {
    let waiter = Waiter()
    waiters[ObjectIdentifier(waiter)] = waiter
    defer {
      waiters[ObjectIdentifier(waiter)] = nil
      if value == nil, waiters.isEmpty, let task {
        task.cancel()
        isOver()
      }
    }
    while value == nil, !Task.isCancelled { _ = await waiter.wait(until: .now + .hours(1)) }
    return value
  }
}
