import EventLoop

/// Which processes may speak to the socket at all, by the kernel's word.
struct PeerRule: Sendable {
  /// The daemon's own user. Root is another user like any other: it has better ways than this
  /// socket, and whoever relays for it must not become the person.
  let uid: UInt32

  /// A peer that the kernel does not name is nobody.
  func admits(_ peer: PeerCredentials?) -> Bool { peer?.uid == uid }
}
