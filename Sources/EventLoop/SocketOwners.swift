import CLinux
import Glibc

/// Whose a TCP socket of this machine is, by the kernel's word (sock_diag(7)): what SO_PEERCRED
/// tells of Unix sockets.
///
/// The kernel looks one connection up by its addresses, so that the cost is the same however many
/// sockets there are, and answers before it returns: nothing is waited for.
package struct SocketOwners: ~Copyable {
  private let kernel: OwnedDescriptor
  private var lastQuestion: UInt32 = 0

  /// - Throws: `EPROTONOSUPPORT` where the kernel has no such lookup, `EMFILE`.
  package init() throws(SystemError) {
    let type = CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let number = try systemCall("socket") { socket(AF_NETLINK, type, NETLINK_SOCK_DIAG) }
    let descriptor = OwnedDescriptor(adopting: number)
    // Connected to the kernel, so that nobody else's messages come here (netlink(7)).
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
    _ = try systemCall("connect") {
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(number, $0, length) }
      }
    }
    kernel = descriptor
  }

  /// The user of the other end of a connection on this machine: who made its socket. Of a user
  /// that this process's user namespace does not have, the kernel's overflow id.
  ///
  /// - Returns: `nil` where the other end is not on this machine, or its processes have closed it:
  ///   the kernel then tells user 0 of it, whosever it was. Also where the kernel has no answer.
  package mutating func user(ofPeerIn ends: ConnectionEnds) -> UInt32? {
    guard let own = IPEnd(ends.theirs), let other = IPEnd(ends.ours) else { return nil }
    lastQuestion &+= 1
    guard ask(own, other), let answer = answer(to: lastQuestion) else { return nil }
    let found = answer.id
    // Where there is no such connection, the kernel answers with who listens at that address.
    guard found.idiag_sport == own.port.bigEndian, found.idiag_dport == other.port.bigEndian,
      IPEnd.address(found.idiag_src, answer.idiag_family) == own.address,
      IPEnd.address(found.idiag_dst, answer.idiag_family) == other.address,
      answer.idiag_inode != 0
    else { return nil }
    return answer.idiag_uid
  }

  /// Who made the socket that listens at an address of this machine.
  ///
  /// - Returns: `nil` where nobody does, or the kernel has no answer.
  package mutating func user(ofListenerAt address: SocketAddress) -> UInt32? {
    user(ofPeerIn: ConnectionEnds(ours: address.unspecified, theirs: address))
  }

  private borrowing func ask(_ own: IPEnd, _ other: IPEnd) -> Bool {
    var question = clinux_socket_question()
    let isIPv4 = own.isIPv4 && other.isIPv4
    let size = MemoryLayout<clinux_socket_question>.size
    question.header.nlmsg_len = UInt32(size)
    question.header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
    question.header.nlmsg_flags = UInt16(NLM_F_REQUEST)
    question.header.nlmsg_seq = lastQuestion
    question.request.sdiag_family = UInt8(isIPv4 ? AF_INET : AF_INET6)
    question.request.sdiag_protocol = UInt8(IPPROTO_TCP)
    question.request.idiag_states = .max
    question.request.id.idiag_sport = own.port.bigEndian
    question.request.id.idiag_dport = other.port.bigEndian
    own.write(to: &question.request.id.idiag_src, isIPv4: isIPv4)
    other.write(to: &question.request.id.idiag_dst, isIPv4: isIPv4)
    question.request.id.idiag_cookie = (.max, .max)
    return withUnsafeBytes(of: question) { bytes in
      kernel.withNumber { send($0, bytes.baseAddress, size, 0) } == size
    }
  }

  private borrowing func answer(to number: UInt32) -> inet_diag_msg? {
    var answer = clinux_socket_answer()
    let size = MemoryLayout<clinux_socket_answer>.size
    while true {
      let count = withUnsafeMutableBytes(of: &answer) { bytes in
        kernel.withNumber { recv($0, bytes.baseAddress, size, 0) }
      }
      guard count > 0 else { return nil }
      // The answer to a question before may have found no room.
      guard count >= MemoryLayout<nlmsghdr>.size, answer.header.nlmsg_seq == number else {
        continue
      }
      // Of an error the rest is something else.
      guard count == size, answer.header.nlmsg_type == SOCK_DIAG_BY_FAMILY else { return nil }
      return answer.message
    }
  }
}

extension SocketAddress {
  /// The other end of a socket that has none.
  fileprivate var unspecified: SocketAddress {
    switch self {
    case .unix: .unix(path: "")
    case .ip4: .ip4(address: 0, port: 0)
    case .ip6: .ip6(address: Array(repeating: 0, count: 16), port: 0)
    }
  }
}

/// One end in the kernel's terms. An IPv4 address that an IPv6 socket has (`::ffff:127.0.0.1`) is
/// that IPv4 address, as it is on the wire.
private struct IPEnd {
  /// 16 bytes, IPv4 mapped.
  let address: [UInt8]
  let port: UInt16

  init?(_ address: SocketAddress) {
    switch address {
    case .unix: return nil
    case .ip4(let host, let port):
      self.address = Self.mapped + withUnsafeBytes(of: host.bigEndian, Array.init)
      self.port = port
    case .ip6(let host, let port):
      self.address = host
      self.port = port
    }
  }

  var isIPv4: Bool { address.starts(with: Self.mapped) }

  typealias Words = (UInt32, UInt32, UInt32, UInt32)

  func write(to words: inout Words, isIPv4: Bool) {
    let bytes = isIPv4 ? address[12...] : address[...]
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
  }

  static func address(_ words: Words, _ family: UInt8) -> [UInt8] {
    let bytes = withUnsafeBytes(of: words, Array.init)
    return CInt(family) == AF_INET ? mapped + bytes[..<4] : bytes
  }

  private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]
}
