import Glibc
import Testing

@testable import EventLoop

@Suite @LoopActor struct SocketOwnersTests {
  /// A client's plain socket, and the server's side of its connection.
  private struct Pair: ~Copyable {
    let client: OwnedDescriptor
    let server: SocketStream
    let ends: ConnectionEnds
  }

  private func connect(_ address: SocketAddress, to listener: Listener) async throws -> Pair {
    let client = try OwnedDescriptor.streamSocket(address.family)
    try address.withKernelForm { form, length throws(SystemError) in
      // It is under way, and done when the other side has it.
      #expect(client.withNumber { Glibc.connect($0, form, length) } == 0 || errno == EINPROGRESS)
    }
    let server = try await listener.accept()
    return Pair(client: client, server: server, ends: try #require(server.ends))
  }

  private static func mapped(_ port: UInt16) -> SocketAddress {
    .ip6(address: Array(repeating: 0, count: 10) + [0xff, 0xff, 127, 0, 0, 1], port: port)
  }

  /// Both families on one port, as a unit may have it.
  private func dual() throws -> Listener {
    let descriptor = try OwnedDescriptor.streamSocket(AF_INET6)
    try descriptor.setOption(CInt(IPPROTO_IPV6), IPV6_V6ONLY, to: 0)
    let address = SocketAddress.ip6(address: Array(repeating: 0, count: 16), port: 0)
    try address.withKernelForm { form, length throws(SystemError) in
      _ = try systemCall("bind") { descriptor.withNumber { bind($0, form, length) } }
    }
    _ = try systemCall("listen") { descriptor.withNumber { listen($0, 8) } }
    return try Listener(adopting: descriptor)
  }

  @Test func theOtherEndsUserIsFoundInEachFamily() async throws {
    var owners = try SocketOwners()
    let four = try Listener.loopback4(port: 0)
    let six = try Listener.loopback6(port: 0)
    let both = try dual()
    let port = try #require(both.port)
    for (address, listener) in [
      (.loopback4(port: try #require(four.port)), four),
      (Self.mapped(try #require(four.port)), four),
      (.loopback6(port: try #require(six.port)), six),
      (.loopback4(port: port), both), (Self.mapped(port), both), (.loopback6(port: port), both),
    ] as [(SocketAddress, Listener)] {
      let pair = try await connect(address, to: listener)
      #expect(owners.user(ofPeerIn: pair.ends) == geteuid(), "\(address)")
      withExtendedLifetime(pair.client) {}
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a socket to another user"))
  func anotherUsersEndIsTheirs() async throws {
    var owners = try SocketOwners()
    let four = try Listener.loopback4(port: 0)
    let six = try Listener.loopback6(port: 0)
    for (address, listener) in [
      (.loopback4(port: try #require(four.port)), four),
      (Self.mapped(try #require(four.port)), four),
      (.loopback6(port: try #require(six.port)), six),
    ] as [(SocketAddress, Listener)] {
      let pair = try await connect(address, to: listener)
      #expect(pair.client.withNumber { fchown($0, 4000, 4000) } == 0)
      #expect(owners.user(ofPeerIn: pair.ends) == 4000, "\(address)")
      // Our own end stays ours.
      let turned = ConnectionEnds(ours: pair.ends.theirs, theirs: pair.ends.ours)
      #expect(owners.user(ofPeerIn: turned) == 0)
      _ = pair.client.withNumber { shutdown($0, CInt(SHUT_WR)) }
      #expect(owners.user(ofPeerIn: pair.ends) == 4000, "after its end of sending")
    }
  }

  @Test func anEndThatWaitsForItsAnswerIsFound() async throws {
    var owners = try SocketOwners()
    let listener = try Listener.loopback4(port: 0)
    let pair = try await connect(.loopback4(port: try #require(listener.port)), to: listener)
    #expect(pair.client.withNumber { shutdown($0, CInt(SHUT_WR)) } == 0)
    #expect(owners.user(ofPeerIn: pair.ends) == geteuid())
    withExtendedLifetime(pair.client) {}
  }

  /// The kernel tells user 0 of it, whosever it was.
  @Test func anEndThatWasClosedIsNobodys() async throws {
    var owners = try SocketOwners()
    let listener = try Listener.loopback4(port: 0)
    let address = SocketAddress.loopback4(port: try #require(listener.port))
    let pair = try await connect(address, to: listener)
    let (ends, server) = (pair.ends, pair.server)
    drop(pair)
    #expect(owners.user(ofPeerIn: ends) == nil)
    // In TIME_WAIT.
    server.close()
    #expect(owners.user(ofPeerIn: ends) == nil)
  }

  private func drop(_ pair: consuming Pair) {}

  @Test func whoListensThereIsNotTaken() throws {
    var owners = try SocketOwners()
    for listener in [try Listener.loopback4(port: 0), try Listener.loopback6(port: 0)] {
      #expect(owners.user(ofListenerAt: listener.address) == geteuid())
      var ours = listener.address
      switch ours {
      case .ip4(let address, _): ours = .ip4(address: address, port: 1)
      case .ip6(let address, _): ours = .ip6(address: address, port: 1)
      case .unix: Issue.record("no address of TCP")
      }
      #expect(owners.user(ofPeerIn: ConnectionEnds(ours: ours, theirs: listener.address)) == nil)
    }
  }

  @Test func whatIsNoTCPHasNoAnswer() throws {
    var owners = try SocketOwners()
    let ends = ConnectionEnds(ours: .unix(path: ""), theirs: .unix(path: ""))
    #expect(owners.user(ofPeerIn: ends) == nil)
    #expect(owners.user(ofListenerAt: .unix(path: "")) == nil)
    let unused = try Listener.loopback4(port: 0)
    unused.close()
    #expect(owners.user(ofListenerAt: unused.address) == nil)
  }
}
