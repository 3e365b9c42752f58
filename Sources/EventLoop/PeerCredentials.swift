/// Who was at the other end of a Unix socket when it connected: the kernel's word (SO_PEERCRED).
package struct PeerCredentials: Equatable, Sendable {
  package let pid: Int32
  package let uid: UInt32
  package let gid: UInt32

  package init(pid: Int32, uid: UInt32, gid: UInt32) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }
}
