/// Who listens on a TCP port of this machine (proc(5), "/proc/net/tcp").
package enum ListeningPorts {
  /// Of a machine with many connections.
  private static let largest = 8 * 1024 * 1024

  /// The users whose sockets listen on `port`, on any address of either family.
  package static func owners(of port: UInt16) -> Set<UInt32> {
    var owners: Set<UInt32> = []
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let bytes = try? Files.read(path, limit: largest) else { continue }
      owners.formUnion(Self.owners(of: port, in: String(decoding: bytes, as: UTF8.self)))
    }
    return owners
  }

  static func owners(of port: UInt16, in table: String) -> Set<UInt32> {
    var owners: Set<UInt32> = []
    for line in table.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: " ")
      // sl, local address and port, remote, state (0A: TCP_LISTEN), queues, timer, retransmits, uid
      guard fields.count > 7, fields[3] == "0A", let owner = UInt32(fields[7]),
        let number = fields[1].split(separator: ":").last, UInt16(number, radix: 16) == port
      else { continue }
      owners.insert(owner)
    }
    return owners
  }
}
