/// A descriptor that the loop watches: takes the owner in, and stops watching before it closes.
@LoopActor final class Watch: EventTarget {
  private var descriptor: OwnedDescriptor?
  private let number: CInt
  private var registration: Registration?
  private let onReady: @LoopActor (Readiness) -> Void

  /// - Parameter onReady: must not hold the watch's owner strongly: the loop holds the watch
  ///   until `close()`.
  init(
    _ descriptor: consuming OwnedDescriptor, for interest: Interest,
    onReady: @escaping @LoopActor (Readiness) -> Void
  ) throws(SystemError) {
    number = descriptor.withNumber { $0 }
    self.descriptor = consume descriptor
    self.onReady = onReady
    registration = try LoopCore.shared.register(number, for: interest, target: self)
  }

  var isOpen: Bool { registration != nil }

  /// The descriptor's number for one system call, or `nil` after `close()`.
  func withNumber<R>(_ body: (CInt) -> R) -> R? {
    registration == nil ? nil : body(number)
  }

  func change(to interest: Interest) throws(SystemError) {
    guard let registration else { return }
    try LoopCore.shared.change(registration, number, to: interest)
  }

  func close() {
    guard let registration else { return }
    self.registration = nil
    LoopCore.shared.deregister(registration, number)
    descriptor = nil
  }

  func ready(_ readiness: Readiness) { onReady(readiness) }
}
