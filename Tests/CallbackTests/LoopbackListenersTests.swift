import Callback
import EventLoop
import Glibc
import Testing

@Suite @LoopActor struct LoopbackListenersTests {
  @Test func holdsOnePortOnBothFamilies() throws {
    let both = try LoopbackListeners(port: 0)
    #expect(both.port != 0)
    #expect(both.ipv4?.address == .loopback4(port: both.port))
    #expect(both.ipv6?.address == .loopback6(port: both.port))
    for listener in both.all { listener.close() }
  }

  @Test func aPortThatIsTakenOnEitherFamilyIsRefused() throws {
    let foreign6 = try Listener.loopback6(port: 0)
    let port6 = try #require(foreign6.port)
    // Nothing stays open: the second attempt finds the other family free again.
    for _ in 1...2 {
      #expect(throws: LoopbackListeners.Failure.portInUse(port6, .ipv6)) {
        _ = try LoopbackListeners(port: port6)
      }
    }
    let foreign4 = try Listener.loopback4(port: 0)
    let port4 = try #require(foreign4.port)
    #expect(throws: LoopbackListeners.Failure.portInUse(port4, .ipv4)) {
      _ = try LoopbackListeners(port: port4)
    }
    foreign4.close()
    foreign6.close()
  }

  /// Somebody listens on all addresses, of both families with one socket.
  @Test func aWildcardListenerTakesThePortToo() throws {
    let number = socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
    var off: CInt = 0
    setsockopt(number, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<CInt>.size))
    try #require(listen(number, 1) == 0)
    let foreign = try Listener(adopting: OwnedDescriptor(adopting: number))
    let port = try #require(foreign.port)
    #expect(throws: LoopbackListeners.Failure.portInUse(port, .ipv4)) {
      _ = try LoopbackListeners(port: port)
    }
    foreign.close()
  }
}
