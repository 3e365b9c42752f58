import CLinux
import Glibc

/// Who is at the other end of a Unix socket, as the kernel recorded it when it connected.
package struct PeerCredentials: Equatable, Sendable {
  package let pid: Int32
  package let uid: UInt32
  package let gid: UInt32

  package init(pid: Int32, uid: UInt32, gid: UInt32) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }

  /// - Returns: `nil` for a socket that has no such peer (TCP: there the kernel answers pid 0
  ///   and the overflow ids, which identify nobody).
  init?(ofSocket number: CInt) {
    var credentials = clinux_ucred()
    guard clinux_peer_credentials(number, &credentials) == 0, credentials.pid != 0 else {
      return nil
    }
    self.init(pid: credentials.pid, uid: credentials.uid, gid: credentials.gid)
  }
}
