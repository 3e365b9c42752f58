import EventLoop
import Glibc
import Testing

@Suite struct ConnectorTests {
  @Test @LoopActor func nobodyThereIsAnError() async throws {
    let scratch = try ScratchDirectory()
    await #expect(throws: StreamError.system(SystemError(call: "connect", code: ENOENT))) {
      _ = try await Connector.unix(path: scratch.file("none"))
    }
    let listener = try Listener.loopback4(port: 0)
    let port = try #require(listener.port)
    listener.close()
    await #expect(throws: StreamError.system(SystemError(call: "connect", code: ECONNREFUSED))) {
      _ = try await Connector.connect(to: .loopback4(port: port))
    }
  }

  @Test @LoopActor func waitsForRoomInAFullBacklog() async throws {
    let scratch = try ScratchDirectory()
    let listener = try smallListener(scratch.file("s"))
    var clients = [try await Connector.unix(path: scratch.file("s"))]
    await #expect(throws: StreamError.timedOut) {
      while true {
        let deadline = BootInstant.now + .milliseconds(30)
        clients.append(try await Connector.unix(path: scratch.file("s"), deadline: deadline))
      }
    }
    let waiting = Task { try await Connector.unix(path: scratch.file("s")) }
    await Task.yield()
    _ = try await listener.accept()
    _ = try await waiting.value
  }

  @Test @LoopActor func aCancelledTaskStopsConnecting() async throws {
    let scratch = try ScratchDirectory()
    let listener = try smallListener(scratch.file("s"))
    let connecting = Task.immediate {
      var clients: [SocketStream] = []
      while true { clients.append(try await Connector.unix(path: scratch.file("s"))) }
    }
    await turns()
    connecting.cancel()
    await #expect(throws: StreamError.closed) { try await connecting.value }
    listener.close()
  }

  /// A backlog of one, where the product's is too long to fill.
  @LoopActor private func smallListener(_ path: String) throws -> Listener {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let number = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, size) }
    }
    try #require(result == 0 && listen(number, 0) == 0)
    return try Listener(adopting: OwnedDescriptor(adopting: number))
  }
}
