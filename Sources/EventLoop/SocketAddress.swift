package import Glibc

/// The address of one end of a socket, of the kinds that this project uses.
package enum SocketAddress: Equatable, Hashable, Sendable {
  /// Empty for the nameless end of a connection.
  case unix(path: String)
  /// `address` in host byte order.
  case ip4(address: UInt32, port: UInt16)
  /// `address`: 16 bytes in network order.
  case ip6(address: [UInt8], port: UInt16)

  package static func loopback4(port: UInt16) -> SocketAddress {
    .ip4(address: 0x7f00_0001, port: port)
  }

  package static func loopback6(port: UInt16) -> SocketAddress {
    .ip6(address: Array(repeating: 0, count: 15) + [1], port: port)
  }

  /// 127.0.0.0/8 and ::1. A Unix socket is not an internet address at all: false.
  package var isLoopback: Bool {
    switch self {
    case .unix: false
    case .ip4(let address, _): address >> 24 == 127
    case .ip6(let address, _): address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
    }
  }

  package var port: UInt16? {
    switch self {
    case .unix: nil
    case .ip4(_, let port), .ip6(_, let port): port
    }
  }
}

extension SocketAddress {
  var family: CInt {
    switch self {
    case .unix: AF_UNIX
    case .ip4: AF_INET
    case .ip6: AF_INET6
    }
  }

  static func local(of number: CInt) -> SocketAddress? { read { getsockname(number, $0, $1) } }
  static func remote(of number: CInt) -> SocketAddress? { read { getpeername(number, $0, $1) } }

  private static func read(
    _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
  ) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes -> SocketAddress? in
      guard let start = bytes.baseAddress,
        call(start.assumingMemoryBound(to: sockaddr.self), &length) == 0
      else { return nil }
      return SocketAddress(UnsafeRawBufferPointer(rebasing: bytes[..<Int(length)]))
    }
  }

  /// - Returns: `nil` for a family that this project does not use.
  private init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 2 else { return nil }
    switch CInt(bytes.loadUnaligned(as: sa_family_t.self)) {
    case AF_UNIX:
      let path = bytes[2...].prefix { $0 != 0 }
      self = .unix(path: String(decoding: path, as: UTF8.self))
    case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
      let address = bytes.loadUnaligned(as: sockaddr_in.self)
      self = .ip4(
        address: UInt32(bigEndian: address.sin_addr.s_addr),
        port: UInt16(bigEndian: address.sin_port))
    case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
      let port = UInt16(bigEndian: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_port)
      self = .ip6(address: Array(bytes[8..<24]), port: port)
    default: return nil
    }
  }

  /// Calls `body` with the kernel's form of this address.
  ///
  /// - Throws: `ENAMETOOLONG` for a path that does not fit (107 bytes), `EINVAL` for one that is
  ///   empty or has a NUL inside, and what `body` throws.
  package func withKernelForm(
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
  ) throws(SystemError) {
    switch self {
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      guard !bytes.isEmpty, !bytes.contains(0) else {
        throw SystemError(call: "bind", code: EINVAL)
      }
      let fits = withUnsafeMutableBytes(of: &address.sun_path) { field in
        // One byte stays zero.
        guard bytes.count < field.count else { return false }
        field.copyBytes(from: bytes)
        return true
      }
      guard fits else { throw SystemError(call: "bind", code: ENAMETOOLONG) }
      try Self.pass(address, to: body)
    case .ip4(let host, let port):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = host.bigEndian
      try Self.pass(address, to: body)
    case .ip6(let host, let port):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: host.prefix(16)) }
      try Self.pass(address, to: body)
    }
  }

  private static func pass<Form>(
    _ form: Form, to body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
  ) throws(SystemError) {
    try withUnsafeBytes(of: form) { bytes throws(SystemError) in
      guard let start = bytes.baseAddress else { return }
      try body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}
