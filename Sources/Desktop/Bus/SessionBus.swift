import CSystemd
package import EventLoop
import Glibc

/// The person's D-Bus, by sd-bus on the event loop: no thread, no blocking call.
@LoopActor package final class SessionBus {
  private let bus: BusHandle
  private let timer = LoopTimer()
  private var source: ReadinessSource?
  private var failure: BusError?
  private var isProcessing = false
  private var pending: [ObjectIdentifier: PendingCall] = [:]

  /// Begins to connect; calls may be made at once.
  ///
  /// - Parameter environment: where the bus is looked for.
  /// - Throws: `BusError` where there is no bus to connect to.
  package init(_ environment: [String: String]) throws(BusError) {
    guard let address = BusAddress.session(environment) else {
      throw BusError(call: "session bus", code: ENOMEDIUM)
    }
    bus = try BusHandle.connecting(to: address)
    do throws(SystemError) {
      source = try ReadinessSource(watching: sd_bus_get_fd(bus.raw), for: [.readable]) {
        [weak self] _ in self?.process()
      }
    } catch {
      throw BusError(call: error.call, code: error.code)
    }
    process()
  }

  isolated deinit { close() }

  /// Ends the connection. Calls under way throw `ECONNRESET`.
  package func close() { fail(BusError(call: "close", code: ECONNRESET)) }

  /// Calls a method and returns its answer.
  ///
  /// - Parameters:
  ///   - deadline: after this the call throws `ETIMEDOUT`, also where the bus itself does not
  ///     answer.
  ///   - fill: appends the arguments.
  package func call(
    _ method: BusMethod, until deadline: BootInstant,
    _ fill: (borrowing BusMessage) throws(BusError) -> Void = { (_) throws(BusError) in }
  ) async throws(BusError) -> BusReply {
    if let failure { throw failure }
    let message = try method.message(on: bus.raw)
    try fill(message)
    let call = PendingCall()
    // No time limit of sd-bus's own: it starts to count only once the bus let us in.
    try check(
      sd_bus_call_async(
        bus.raw, &call.slot, message.raw,
        { message, data, _ in PendingCall.answered(message, data) },
        Unmanaged.passUnretained(call).toOpaque(), .max),
      "sd_bus_call_async")
    pending[ObjectIdentifier(call)] = call
    defer { pending[ObjectIdentifier(call)] = nil }
    process()
    let late = BusError(call: method.member, code: ETIMEDOUT)
    return try await call.result(until: deadline, else: late).get()
  }

  /// Calls `action` for each signal of that name, until the subscription ends. What is called
  /// after this is carried out after the bus knows of it.
  package func subscribe(
    to signal: BusSignal, _ action: @escaping @LoopActor (BusReply) -> Void
  ) throws(BusError) -> BusSubscription {
    if let failure { throw failure }
    let subscription = BusSubscription(action)
    try check(
      sd_bus_match_signal_async(
        bus.raw, &subscription.slot, signal.sender, signal.path, signal.interface, signal.member,
        { message, data, _ in BusSubscription.deliver(message, data) }, nil,
        Unmanaged.passUnretained(subscription).toOpaque()),
      "sd_bus_match_signal_async")
    process()
    return subscription
  }

  /// This connection's name on the bus, such as `:1.42`; `nil` until a call was answered.
  package var uniqueName: String? {
    var name: UnsafePointer<CChar>?
    guard failure == nil, sd_bus_is_ready(bus.raw) > 0,
      sd_bus_get_unique_name(bus.raw, &name) >= 0, let name
    else { return nil }
    return String(cString: name)
  }

  /// Lets sd-bus do what it can without waiting, then watches for what it waits for.
  private func process() {
    // sd-bus does not allow this from inside of its own callbacks.
    guard failure == nil, !isProcessing else { return }
    isProcessing = true
    var result: CInt
    repeat { result = sd_bus_process(bus.raw, nil) } while result > 0
    isProcessing = false
    guard result == 0 else { return fail(BusError(call: "sd_bus_process", code: -result)) }
    watch()
  }

  private func fail(_ error: BusError) {
    guard failure == nil else { return }
    failure = error
    source?.cancel()
    source = nil
    timer.disarm()
    sd_bus_close(bus.raw)
    for call in pending.values { call.finish(.failure(error)) }
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
    timer.arm(after: .microseconds(left)) { [weak self] in self?.process() }
  }
}

/// The one owner of a connection's reference.
private struct BusHandle: ~Copyable {
  let raw: OpaquePointer

  private init(adopting raw: OpaquePointer) { self.raw = raw }

  deinit { sd_bus_close_unref(raw) }

  static func connecting(to address: String) throws(BusError) -> BusHandle {
    var made: OpaquePointer?
    try check(sd_bus_new(&made), "sd_bus_new")
    guard let made else { throw BusError(call: "sd_bus_new", code: ENOMEM) }
    let handle = BusHandle(adopting: made)
    try check(sd_bus_set_address(made, address), "sd_bus_set_address")
    try check(sd_bus_set_bus_client(made, 1), "sd_bus_set_bus_client")
    try check(sd_bus_start(made), "sd_bus_start")
    return handle
  }
}
