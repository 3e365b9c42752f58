import CSystemd
package import EventLoop
import Glibc

/// The person's D-Bus, by sd-bus on the event loop: no thread, no blocking call.
@LoopActor package final class SessionBus {
  private let bus: BusHandle
  private let timer = LoopTimer()
  private var source: ReadinessSource?
  private var failure: BusError?

  /// - Throws: `BusError` where there is no bus to connect to.
  package init() throws(BusError) {
    var opened: OpaquePointer?
    try check(sd_bus_open_user(&opened), "sd_bus_open_user")
    guard let opened else { throw BusError(call: "sd_bus_open_user", code: ENOTCONN) }
    bus = BusHandle(adopting: opened)
    do throws(SystemError) {
      source = try ReadinessSource(watching: sd_bus_get_fd(opened), for: [.readable]) {
        [weak self] _ in self?.process()
      }
    } catch {
      throw BusError(call: error.call, code: error.code)
    }
    process()
  }

  isolated deinit { close() }

  /// Ends the connection. Calls under way throw.
  package func close() {
    source?.cancel()
    source = nil
    timer.disarm()
    bus.flushAndClose()
  }

  /// Calls a method and returns its answer.
  ///
  /// - Parameters:
  ///   - limit: after this the call throws `ETIMEDOUT`.
  ///   - fill: appends the arguments.
  package func call(
    _ method: BusMethod, limit: Duration, _ fill: (borrowing BusMessage) throws(BusError) -> Void
  ) async throws(BusError) -> BusReply {
    if let failure { throw failure }
    let message = try method.message(on: bus.raw)
    try fill(message)
    let box = ReplyBox()
    let microseconds = UInt64(max(limit / .microseconds(1), 1))
    var slot: OpaquePointer?
    try check(
      sd_bus_call_async(
        bus.raw, &slot, message.raw, { message, data, _ in ReplyBox.finish(message, data) },
        Unmanaged.passUnretained(box).toOpaque(), microseconds),
      "sd_bus_call_async")
    process()
    // The slot ends the callback's registration, so the box outlives every call of it.
    defer { sd_bus_slot_unref(slot) }
    let result: Result<BusReply, BusError> = await withUnsafeContinuation { box.wait($0) }
    return try result.get()
  }

  /// Calls `action` for each signal of that name, until the subscription ends.
  package func subscribe(
    to signal: BusSignal, _ action: @escaping @LoopActor (BusReply) -> Void
  ) throws(BusError) -> BusSubscription {
    let subscription = BusSubscription(action)
    var slot: OpaquePointer?
    try check(
      sd_bus_match_signal_async(
        bus.raw, &slot, signal.sender, signal.path, signal.interface, signal.member,
        { message, data, _ in BusSubscription.deliver(message, data) }, nil,
        Unmanaged.passUnretained(subscription).toOpaque()),
      "sd_bus_match_signal_async")
    subscription.slot = slot
    process()
    return subscription
  }

  /// This connection's name on the bus, such as `:1.42`; `nil` until it is connected.
  package var uniqueName: String? {
    var name: UnsafePointer<CChar>?
    guard sd_bus_get_unique_name(bus.raw, &name) >= 0, let name else { return nil }
    return String(cString: name)
  }

  /// Lets sd-bus do what it can without waiting, then watches for what it waits for.
  private func process() {
    guard failure == nil else { return }
    while true {
      let result = sd_bus_process(bus.raw, nil)
      if result == 0 { break }
      guard result > 0 else {
        failure = BusError(call: "sd_bus_process", code: -result)
        source?.cancel()
        source = nil
        timer.disarm()
        // Answers every call under way with an error.
        sd_bus_close(bus.raw)
        return
      }
    }
    watch()
  }

  private func watch() {
    let events = sd_bus_get_events(bus.raw)
    var interest: Interest = []
    if events >= 0 {
      if events & CInt(POLLIN) != 0 { interest.insert(.readable) }
      if events & CInt(POLLOUT) != 0 { interest.insert(.writable) }
    }
    // epoll_ctl fails only for a descriptor that is not registered, and this one is.
    try? source?.change(to: interest)
    var deadline: UInt64 = 0
    guard sd_bus_get_timeout(bus.raw, &deadline) >= 0, deadline != .max else {
      return timer.disarm()
    }
    // sd-bus counts on CLOCK_MONOTONIC; the difference carries over to ours.
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    let left = deadline > now ? Int64(clamping: deadline - now) : 0
    timer.arm(at: .now + .microseconds(left)) { [weak self] in self?.process() }
  }
}

/// A call of sd-bus, or an answer from the bus, that failed.
package struct BusError: Error, Equatable, Sendable {
  package let call: String
  /// An errno.
  package let code: CInt
  /// The D-Bus name, such as `org.freedesktop.DBus.Error.ServiceUnknown`, where it was answered.
  package var name: String?

  package init(call: String, code: CInt, name: String? = nil) {
    self.call = call
    self.code = code
    self.name = name
  }
}

/// sd-bus reports errors as negative errno values.
func check(_ result: CInt, _ call: String) throws(BusError) {
  if result < 0 { throw BusError(call: call, code: -result) }
}

/// The one owner of a connection's reference.
private struct BusHandle: ~Copyable {
  let raw: OpaquePointer
  init(adopting raw: OpaquePointer) { self.raw = raw }
  deinit { sd_bus_flush_close_unref(raw) }
  borrowing func flushAndClose() {
    sd_bus_flush(raw)
    sd_bus_close(raw)
  }
}
