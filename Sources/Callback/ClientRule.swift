import EventLoop
import HTTP

/// Which connections the callback serves.
@LoopActor protocol ClientRule: Sendable {
  func admits(_ connection: HTTPConnectionInfo) -> Bool
  /// Whether it can tell one from another on this machine.
  func canTell(on listener: Listener) -> Bool
}

/// Those of the user that it runs as.
///
/// Every user of the machine can connect to a port on loopback, and a verdict is none of their
/// business. Root is another user like any other, and a client that the kernel does not name is
/// nobody.
@LoopActor final class OwnUserRule: ClientRule {
  private let uid: UInt32
  /// Opened when it is first needed, and again where that failed: there may be a descriptor then.
  private var owners: SocketOwners?

  init(uid: UInt32) { self.uid = uid }

  func admits(_ connection: HTTPConnectionInfo) -> Bool {
    guard let ends = connection.ends else { return false }
    open()
    return owners?.user(ofPeerIn: ends) == uid
  }

  /// The kernel is asked for a socket that is there.
  func canTell(on listener: Listener) -> Bool {
    open()
    return owners?.user(ofListenerAt: listener.address) != nil
  }

  private func open() {
    if owners == nil { owners = try? SocketOwners() }
  }
}
