import EventLoop

/// A value that comes once, from a callback, and is waited for by one.
@LoopActor final class Once<Value: Sendable> {
  private var given: Value?
  private var waiting: UnsafeContinuation<Value, Never>?

  init() {}

  /// The first value counts.
  func give(_ value: Value) {
    guard given == nil else { return }
    given = value
    waiting?.resume(returning: value)
    waiting = nil
  }

  func value() async -> Value {
    if let given { return given }
    return await withUnsafeContinuation { waiting = $0 }
  }

  /// The value, or `other` where none has come by `deadline`.
  func value(until deadline: BootInstant, else other: Value) async -> Value {
    let timer = LoopTimer()
    timer.arm(at: deadline) { self.give(other) }
    defer { timer.disarm() }
    return await value()
  }
}
