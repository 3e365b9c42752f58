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
      let client = try await Connector.connect(to: address, deadline: .now + .seconds(5))
      #expect(client.remoteAddress == address)
      #expect(client.peer == nil)
    }
    let server = try await six.accept()
    #expect(server.localAddress == .loopback6(port: port))
  }
}
