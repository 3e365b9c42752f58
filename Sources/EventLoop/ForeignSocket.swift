import CLinux
import Glibc

/// Sockets that a C library asks for and then owns.
package enum ForeignSocket {
  /// Close-on-exec from birth, which libraries tend to leave out.
  ///
  /// - Parameter unacknowledged: how long sent bytes may stay unacknowledged by the peer's
  ///   kernel before the connection fails (TCP_USER_TIMEOUT): tells a dead connection from a
  ///   peer that takes its time.
  /// - Returns: -1 when there is none.
  package static func open(
    family: Int32, type: Int32, protocol number: Int32, unacknowledged: Duration
  ) -> Int32 {
    let descriptor = socket(family, type | CInt(SOCK_CLOEXEC.rawValue), number)
    guard descriptor != -1, family == AF_INET || family == AF_INET6 else { return descriptor }
    var milliseconds = CUnsignedInt(clamping: unacknowledged.wholeMilliseconds)
    let size = socklen_t(MemoryLayout<CUnsignedInt>.size)
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
    return descriptor
  }
}
