import EventLoop
import HTTP

/// Whose browsers the callback serves: those of the user that it runs as.
///
/// Every user of the machine can connect to a port on loopback, and a verdict is none of their
/// business. Root is another user like any other, and a client that the kernel does not name is
/// nobody.
@LoopActor final class ClientRule {
  private let uid: UInt32
  /// Opened when it is first needed, and again where that failed: there may be a descriptor then.
  private var owners: SocketOwners?

  init(uid: UInt32) { self.uid = uid }

  func admits(_ connection: HTTPConnectionInfo) -> Bool {
    guard let ends = connection.ends else { return false }
    if owners == nil { owners = try? SocketOwners() }
    return owners?.user(ofPeerIn: ends) == uid
  }
}
