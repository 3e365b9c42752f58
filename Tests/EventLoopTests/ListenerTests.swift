import EventLoop
import Glibc
import Testing

@Suite struct ListenerTests {
  @Test @LoopActor func bothLoopbackFamiliesShareAPort() async throws {
    let four = try Listener.loopback4(port: 0)
    let port = try #require(four.port)
    let six = try Listener.loopback6(port: port)
    #expect(six.port == port)
    for address in [SocketAddress.loopback4(port: port), .loopback6(port: port)] {
      let client = try await Connector.connect(to: address, deadline: .now + .seconds(60))
      #expect(client.remoteAddress == address)
      #expect(client.peer == nil)
    }
    let server = try await six.accept()
    #expect(server.localAddress == .loopback6(port: port))
  }

  @Test @LoopActor func aPortInUseIsRefused() throws {
    let first = try Listener.loopback4(port: 0)
    let port = try #require(first.port)
    #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
      _ = try Listener.loopback4(port: port)
    }
    let six = try Listener.loopback6(port: 0)
    #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
      _ = try Listener.loopback6(port: try #require(six.port))
    }
  }

  @Test @LoopActor func connectionsWaitFromTheMomentItExists() async throws {
    let listener = try Listener.loopback4(port: 0)
    let port = try #require(listener.port)
    let client = try await Connector.connect(to: .loopback4(port: port))
    try await client.write([1])
    let server = try await listener.accept()
    var bytes: [UInt8] = []
    #expect(try await server.read(into: &bytes, limit: 1) == 1)
  }

  @Test @LoopActor func acceptWaitsAndGoesOn() async throws {
    let listener = try Listener.loopback4(port: 0)
    let port = try #require(listener.port)
    let accepting = Task {
      var count = 0
      while count < 20 {
        _ = try await listener.accept()
        count += 1
      }
      return count
    }
    var clients: [SocketStream] = []
    for _ in 0..<20 { clients.append(try await Connector.connect(to: .loopback4(port: port))) }
    #expect(try await accepting.value == 20)
  }

  @Test @LoopActor func closeEndsAPendingAccept() async throws {
    let listener = try Listener.loopback4(port: 0)
    let accepting = Task { _ = try await listener.accept() }
    await Task.yield()
    listener.close()
    await #expect(throws: StreamError.closed) { try await accepting.value }
    await #expect(throws: StreamError.closed) { _ = try await listener.accept() }
  }

  // MARK: Passed by the service manager

  @Test @LoopActor func adoptsAListeningSocket() async throws {
    let number = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    try #require(listen(number, 5) == 0)
    let listener = try Listener(adopting: OwnedDescriptor(adopting: number))
    #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
    #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
    let port = try #require(listener.port)
    #expect(listener.address == .ip4(address: 0, port: port))
    #expect(!listener.address.isLoopback)
    let client = try await Connector.connect(to: .loopback4(port: port))
    let server = try await listener.accept()
    #expect(server.remoteAddress == client.localAddress)
  }

  @Test(arguments: [SOCK_STREAM, SOCK_DGRAM]) @LoopActor
  func adoptsNothingThatDoesNotListen(_ type: __socket_type) throws {
    let number = socket(AF_INET, CInt(type.rawValue), 0)
    #expect(throws: SystemError(call: "listen", code: EINVAL)) {
      _ = try Listener(adopting: OwnedDescriptor(adopting: number))
    }
  }
}
