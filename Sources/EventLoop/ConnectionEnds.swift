/// The addresses of both ends of a TCP connection, as one of them sees it.
package struct ConnectionEnds: Hashable, Sendable {
  package let ours: SocketAddress
  package let theirs: SocketAddress

  package init(ours: SocketAddress, theirs: SocketAddress) {
    self.ours = ours
    self.theirs = theirs
  }
}

extension SocketStream {
  /// `nil` after the connection has ended, and before it is there.
  package var ends: ConnectionEnds? {
    guard let ours = localAddress, let theirs = remoteAddress else { return nil }
    return ConnectionEnds(ours: ours, theirs: theirs)
  }
}
