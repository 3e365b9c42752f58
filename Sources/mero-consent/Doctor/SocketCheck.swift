import ConsentClient
import EventLoop

/// The daemon's socket: a socket, this user's, and nobody else's.
enum SocketCheck {
  private static let name = "socket"

  @LoopActor static func look(_ patient: Patient) -> [Finding] {
    let path = patient.client.socket
    guard let status = try? Files.status(of: path, followsLink: false) else {
      return [
        .fault(
          name, "there is none at \(path)",
          mend: "Start the daemon \(patient.howToStart).")
      ]
    }
    guard status.kind == .socket else {
      return [
        .fault(name, "\(path) is something else", mend: "Move it away, and start the daemon.")
      ]
    }
    guard status.owner == patient.user else {
      return [
        .fault(
          name, "\(path) belongs to another user",
          mend: "Do not use it. Remove it, and find out who made it.")
      ]
    }
    guard status.mode & 0o077 == 0 else {
      let mode = String(status.mode & 0o777, radix: 8)
      return [
        .fault(name, "\(path) has the mode \(mode)", mend: "Close it with “chmod 600 \(path)”.")
      ]
    }
    return [.ok(name, path)]
  }
}
