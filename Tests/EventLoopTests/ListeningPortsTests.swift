import Testing

@testable import EventLoop

@Suite struct ListeningPortsTests {
  /// As the kernel writes it, other states and ports in between.
  private let table = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:4437 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1
       1: 0100007F:4437 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1001        0 2 1
       2: 00000000:4437 00000000:0000 0A 00000000:00000000 00:00000000 00000000    33        0 3 1
       3: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     7        0 4 1
      broken
    """

  @Test func onlyListenersOfThatPortCount() {
    #expect(ListeningPorts.owners(of: 17463, in: table) == [1000, 33])
    #expect(ListeningPorts.owners(of: 80, in: table) == [7])
    #expect(ListeningPorts.owners(of: 81, in: table) == [])
  }

  @Test @LoopActor func aListenerOfOursIsFound() throws {
    let listener = try Listener.loopback4(port: 0)
    let port = try #require(listener.port)
    #expect(ListeningPorts.owners(of: port).count == 1)
    listener.close()
  }
}
