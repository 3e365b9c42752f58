import CSystemd

/// A message that is being written. The one owner of its reference.
package struct BusMessage: ~Copyable {
  let raw: OpaquePointer
  init(adopting raw: OpaquePointer) { self.raw = raw }
  deinit { sd_bus_message_unref(raw) }

  package borrowing func append(_ text: String) throws(BusError) {
    let result = text.withCString {
      sd_bus_message_append_basic(raw, Unicode.Scalar("s").busType, $0)
    }
    try check(result, "append")
  }

  package borrowing func append(_ number: Int32) throws(BusError) { try basic("i", number) }
  package borrowing func append(_ number: UInt32) throws(BusError) { try basic("u", number) }
  package borrowing func append(_ byte: UInt8) throws(BusError) { try basic("y", byte) }
  package borrowing func append(_ flag: Bool) throws(BusError) {
    try basic("b", CInt(flag ? 1 : 0))
  }

  /// An array of strings.
  package borrowing func append(_ texts: [String]) throws(BusError) {
    try array(of: "s") { () throws(BusError) in
      for text in texts { try append(text) }
    }
  }

  /// An array whose elements have the signature `contents`.
  package borrowing func array(
    of contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) { try container("a", contents, fill) }

  package borrowing func structure(
    _ contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) { try container("r", contents, fill) }

  package borrowing func variant(
    _ contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) { try container("v", contents, fill) }

  /// A pair of a name and a variant, as in `a{sv}`.
  package borrowing func entry(
    _ key: String, _ contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) {
    try container("e", "sv") { () throws(BusError) in
      try append(key)
      try variant(contents, fill)
    }
  }

  /// A pair of a name and a variant, as in systemd's `a(sv)`.
  package borrowing func property(
    _ name: String, _ contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) {
    try structure("sv") { () throws(BusError) in
      try append(name)
      try variant(contents, fill)
    }
  }

  private borrowing func container(
    _ kind: Unicode.Scalar, _ contents: String, _ fill: () throws(BusError) -> Void
  ) throws(BusError) {
    try check(sd_bus_message_open_container(raw, kind.busType, contents), "open container")
    try fill()
    try check(sd_bus_message_close_container(raw), "close container")
  }

  private borrowing func basic<Value: BitwiseCopyable>(
    _ kind: Unicode.Scalar, _ value: Value
  ) throws(BusError) {
    let result = withUnsafePointer(to: value) {
      sd_bus_message_append_basic(raw, kind.busType, $0)
    }
    try check(result, "append")
  }
}
