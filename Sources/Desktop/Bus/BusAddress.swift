/// Where the person's bus is.
enum BusAddress {
  /// `DBUS_SESSION_BUS_ADDRESS`, else the socket `bus` in `XDG_RUNTIME_DIR`; `nil` where neither
  /// names a Unix socket. (Of the other transports one runs a program and one asks the DNS, and
  /// both would have the loop wait.)
  static func session(_ environment: [String: String]) -> String? {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
      return address.split(separator: ";").allSatisfy { $0.hasPrefix("unix:") } ? address : nil
    }
    guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") else {
      return nil
    }
    return "unix:path=" + escaped(directory) + "/bus"
  }

  /// D-Bus specification, "Server Addresses": other bytes than these are written `%XX`.
  private static func escaped(_ path: String) -> String {
    let digits = Array("0123456789abcdef")
    var result = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "\\"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return result
  }
}
