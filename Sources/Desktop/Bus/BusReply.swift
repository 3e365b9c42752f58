import CSystemd
package import EventLoop
import Glibc

/// A message that came: an answer or a signal. Its values are read in their order.
@LoopActor package final class BusReply {
  private let raw: OpaquePointer

  init(retaining raw: OpaquePointer) { self.raw = sd_bus_message_ref(raw) }

  isolated deinit { sd_bus_message_unref(raw) }

  package func uint32() throws(BusError) -> UInt32 {
    var value: UInt32 = 0
    try readBasic("u", &value)
    return value
  }

  package func int32() throws(BusError) -> Int32 {
    var value: Int32 = 0
    try readBasic("i", &value)
    return value
  }

  package func flag() throws(BusError) -> Bool {
    var value: CInt = 0
    try readBasic("b", &value)
    return value != 0
  }

  package func string() throws(BusError) -> String { try text("s") }

  package func objectPath() throws(BusError) -> String { try text("o") }

  /// A number inside a variant: how systemd answers its properties.
  package func variantOfUInt32() throws(BusError) -> UInt32 {
    try enter("v", "u")
    let result = try uint32()
    try leave()
    return result
  }

  /// An array of strings inside a variant: how systemd answers its properties.
  package func variantOfStrings() throws(BusError) -> [String] {
    try enter("v", "as")
    let result = try strings()
    try leave()
    return result
  }

  package func strings() throws(BusError) -> [String] {
    try enter("a", "s")
    var result: [String] = []
    while try !isAtEnd { result.append(try text("s")) }
    try leave()
    return result
  }

  /// The 32-bit integers among the values of an `a{sv}`; other values are passed over.
  package func integers() throws(BusError) -> [String: Int32] {
    try enter("a", "{sv}")
    var result: [String: Int32] = [:]
    while try !isAtEnd {
      try enter("e", "sv")
      let name = try text("s")
      if try contents(of: "v") == "i" {
        try enter("v", "i")
        result[name] = try int32()
        try leave()
      } else {
        try check(sd_bus_message_skip(raw, "v"), "skip")
      }
      try leave()
    }
    try leave()
    return result
  }

  private var isAtEnd: Bool {
    get throws(BusError) {
      let result = sd_bus_message_at_end(raw, 0)
      try check(result, "at end")
      return result > 0
    }
  }

  private func contents(of kind: Unicode.Scalar) throws(BusError) -> String? {
    var found: CChar = 0
    var contents: UnsafePointer<CChar>?
    try check(sd_bus_message_peek_type(raw, &found, &contents), "peek type")
    guard found == kind.busType, let contents else { return nil }
    return String(cString: contents)
  }

  private func enter(_ kind: Unicode.Scalar, _ contents: String) throws(BusError) {
    let result = sd_bus_message_enter_container(raw, kind.busType, contents)
    try check(result, "enter container")
    guard result > 0 else { throw BusError(call: "enter container", code: EBADMSG) }
  }

  private func leave() throws(BusError) {
    try check(sd_bus_message_exit_container(raw), "exit container")
  }

  private func readBasic<Value>(_ kind: Unicode.Scalar, _ value: inout Value) throws(BusError) {
    let result = withUnsafeMutablePointer(to: &value) {
      sd_bus_message_read_basic(raw, kind.busType, $0)
    }
    try check(result, "read")
    guard result > 0 else { throw BusError(call: "read", code: EBADMSG) }
  }

  private func text(_ kind: Unicode.Scalar) throws(BusError) -> String {
    var value: UnsafePointer<CChar>?
    try readBasic(kind, &value)
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

extension Unicode.Scalar {
  /// As sd-bus names types: by one character.
  var busType: CChar { CChar(truncatingIfNeeded: value) }
}
