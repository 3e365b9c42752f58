import CSystemd
package import EventLoop
import Glibc

/// A method's full name.
package struct BusMethod: Sendable {
  package let destination: String
  package let path: String
  package let interface: String
  package let member: String

  package init(_ destination: String, _ path: String, _ interface: String, _ member: String) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
  }

  func message(on bus: OpaquePointer) throws(BusError) -> BusMessage {
    var message: OpaquePointer?
    try check(
      sd_bus_message_new_method_call(bus, &message, destination, path, interface, member),
      "sd_bus_message_new_method_call")
    guard let message else { throw BusError(call: "sd_bus_message_new_method_call", code: ENOMEM) }
    return BusMessage(adopting: message)
  }
}

package struct BusSignal: Sendable {
  package let sender: String
  package let path: String
  package let interface: String
  package let member: String

  package init(_ sender: String, _ path: String, _ interface: String, _ member: String) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
  }
}

/// A message that is being written. The one owner of its reference.
package struct BusMessage: ~Copyable {
  let raw: OpaquePointer
  init(adopting raw: OpaquePointer) { self.raw = raw }
  deinit { sd_bus_message_unref(raw) }

  package borrowing func append(_ text: String) throws(BusError) { try basic("s", text) }
  package borrowing func append(path: String) throws(BusError) { try basic("o", path) }

  package borrowing func append(_ number: Int32) throws(BusError) {
    var number = number
    try check(sd_bus_message_append_basic(raw, type("i"), &number), "append")
  }

  package borrowing func append(_ number: UInt32) throws(BusError) {
    var number = number
    try check(sd_bus_message_append_basic(raw, type("u"), &number), "append")
  }

  package borrowing func append(_ flag: Bool) throws(BusError) {
    var number: CInt = flag ? 1 : 0
    try check(sd_bus_message_append_basic(raw, type("b"), &number), "append")
  }

  package borrowing func append(_ byte: UInt8) throws(BusError) {
    var byte = byte
    try check(sd_bus_message_append_basic(raw, type("y"), &byte), "append")
  }

  /// An array whose elements have the signature `contents`.
  package borrowing func array(
    of contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) { try container("a", contents, fill) }

  package borrowing func structure(
    _ contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) { try container("r", contents, fill) }

  /// A pair of a name and a variant, as in `a{sv}`.
  package borrowing func entry(
    _ key: String, _ contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) {
    try check(sd_bus_message_open_container(raw, type("e"), "sv"), "open container")
    try append(key)
    try variant(contents, fill)
    try check(sd_bus_message_close_container(raw), "close container")
  }

  /// A pair of a name and a text in a variant, as in systemd's `a(sv)`.
  package borrowing func append(structure name: String, text: String) throws(BusError) {
    try structure("sv") { () throws(BusError) in
      try append(name)
      try variant("s") { () throws(BusError) in try append(text) }
    }
  }

  package borrowing func variant(
    _ contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) { try container("v", contents, fill) }

  private borrowing func container(
    _ kind: Unicode.Scalar, _ contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) {
    try check(sd_bus_message_open_container(raw, type(kind), contents), "open container")
    try fill()
    try check(sd_bus_message_close_container(raw), "close container")
  }

  private borrowing func basic(_ kind: Unicode.Scalar, _ text: String) throws(BusError) {
    let result = text.withCString { sd_bus_message_append_basic(raw, type(kind), $0) }
    try check(result, "append")
  }
}

private func type(_ scalar: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: scalar.value) }

/// A message that came: an answer or a signal.
@LoopActor package final class BusReply {
  private let raw: OpaquePointer

  init(retaining raw: OpaquePointer) { self.raw = sd_bus_message_ref(raw) }

  isolated deinit { sd_bus_message_unref(raw) }

  package func uint32() throws(BusError) -> UInt32 {
    var value: UInt32 = 0
    try check(sd_bus_message_read_basic(raw, type("u"), &value), "read")
    return value
  }

  package func int32() throws(BusError) -> Int32 {
    var value: Int32 = 0
    try check(sd_bus_message_read_basic(raw, type("i"), &value), "read")
    return value
  }

  package func string() throws(BusError) -> String { try text("s") }
  package func objectPath() throws(BusError) -> String { try text("o") }

  /// An array of strings inside a variant: how systemd answers its properties.
  package func variantOfStrings() throws(BusError) -> [String] {
    try check(sd_bus_message_enter_container(raw, type("v"), "as"), "enter container")
    let result = try strings()
    try check(sd_bus_message_exit_container(raw), "exit container")
    return result
  }

  package func strings() throws(BusError) -> [String] {
    try check(sd_bus_message_enter_container(raw, type("a"), "s"), "enter container")
    var result: [String] = []
    while true {
      var value: UnsafePointer<CChar>?
      let more = sd_bus_message_read_basic(raw, type("s"), &value)
      try check(more, "read")
      guard more > 0, let value else { break }
      result.append(String(cString: value))
    }
    try check(sd_bus_message_exit_container(raw), "exit container")
    return result
  }

  private func text(_ kind: Unicode.Scalar) throws(BusError) -> String {
    var value: UnsafePointer<CChar>?
    try check(sd_bus_message_read_basic(raw, type(kind), &value), "read")
    guard let value else { throw BusError(call: "read", code: EBADMSG) }
    return String(cString: value)
  }

  /// The error that the message is, if it is one.
  var error: BusError? {
    guard let error = sd_bus_message_get_error(raw) else { return nil }
    let name = error.pointee.name.map { String(cString: $0) }
    return BusError(call: "method call", code: sd_bus_message_get_errno(raw), name: name)
  }
}

/// Where an answer waits for its caller, or the caller for its answer.
@LoopActor final class ReplyBox {
  private var result: Result<BusReply, BusError>?
  private var waiting: UnsafeContinuation<Result<BusReply, BusError>, Never>?

  func wait(_ continuation: UnsafeContinuation<Result<BusReply, BusError>, Never>) {
    if let result { continuation.resume(returning: result) } else { waiting = continuation }
  }

  private func finish(with result: Result<BusReply, BusError>) {
    guard self.result == nil else { return }
    self.result = result
    waiting?.resume(returning: result)
    waiting = nil
  }

  /// sd-bus calls this from `sd_bus_process`, so on the loop.
  nonisolated static func finish(
    _ message: OpaquePointer?, _ data: UnsafeMutableRawPointer?
  ) -> CInt {
    guard let message, let data else { return 0 }
    let box = Unmanaged<ReplyBox>.fromOpaque(data).takeUnretainedValue()
    nonisolated(unsafe) let raw = message  // handed to the loop that we are on already
    LoopActor.assumeIsolated {
      let reply = BusReply(retaining: raw)
      box.finish(with: reply.error.map { .failure($0) } ?? .success(reply))
    }
    return 0
  }
}

/// Signals are delivered for as long as this lives.
@LoopActor package final class BusSubscription {
  private let action: @LoopActor (BusReply) -> Void
  var slot: OpaquePointer?

  init(_ action: @escaping @LoopActor (BusReply) -> Void) { self.action = action }

  isolated deinit { end() }

  package func end() {
    sd_bus_slot_unref(slot)
    slot = nil
  }

  nonisolated static func deliver(
    _ message: OpaquePointer?, _ data: UnsafeMutableRawPointer?
  ) -> CInt {
    guard let message, let data else { return 0 }
    let subscription = Unmanaged<BusSubscription>.fromOpaque(data).takeUnretainedValue()
    nonisolated(unsafe) let raw = message  // handed to the loop that we are on already
    LoopActor.assumeIsolated { subscription.action(BusReply(retaining: raw)) }
    return 0
  }
}
