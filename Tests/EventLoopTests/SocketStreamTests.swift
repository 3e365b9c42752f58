import EventLoop
import Glibc
import Testing

/// A connected pair over a real listener.
@LoopActor private func unixPair(
  in scratch: ScratchDirectory
) async throws -> (client: SocketStream, server: SocketStream) {
  let listener = try Listener.unix(path: scratch.file("s"), mode: 0o600)
  let client = try await Connector.unix(path: scratch.file("s"))
  let server = try await listener.accept()
  listener.close()
  return (client, server)
}

@Suite struct SocketStreamTests {
  @Test @LoopActor func carriesBytesBothWays() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    try await client.write(Array("question".utf8))
    var bytes: [UInt8] = []
    #expect(try await server.read(into: &bytes, limit: 100) == 8)
    #expect(bytes == Array("question".utf8))
    try await server.write(Array("answer".utf8))
    #expect(try await client.read(into: &bytes, limit: 100) == 6)
    #expect(bytes == Array("questionanswer".utf8))
  }

  @Test @LoopActor func aReadWaitsForBytes() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    let reading = Task.immediate {
      var bytes: [UInt8] = []
      _ = try await server.read(into: &bytes, limit: 10)
      return bytes
    }
    await turns()
    try await client.write([1, 2, 3])
    #expect(try await reading.value == [1, 2, 3])
  }

  @Test @LoopActor func aHalfCloseIsAnEndOfFileAndNoHangUp() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    var gone = false
    server.onHangUp = { gone = true }
    client.shutdownWrite()
    var bytes: [UInt8] = []
    #expect(try await server.read(into: &bytes, limit: 10) == 0)
    await turns()
    #expect(!gone)
    try await server.write([9])
    #expect(try await client.read(into: &bytes, limit: 10) == 1)
  }

  @Test @LoopActor func aClosedPeerIsAHangUp() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    await withUnsafeContinuation { continuation in
      server.onHangUp = { continuation.resume() }
      client.close()
    }
  }

  @Test @LoopActor func aReadGivesUpAtItsDeadline() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    server.readDeadline = .now + .milliseconds(20)
    var bytes: [UInt8] = []
    await #expect(throws: StreamError.timedOut) {
      _ = try await server.read(into: &bytes, limit: 1)
    }
    client.close()
  }

  @Test @LoopActor func aWriteThatNobodyTakesGivesUp() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    server.writeStallLimit = .milliseconds(20)
    await #expect(throws: StreamError.timedOut) {
      try await server.write(Array(repeating: 7, count: 4 << 20))
    }
    client.close()
  }

  @Test @LoopActor func aLargeWriteGoesOnAsThePeerReads() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    let size = 4 << 20
    server.writeStallLimit = .seconds(60)
    let writing = Task {
      try await server.write(Array(repeating: 7, count: size))
      server.shutdownWrite()
    }
    var bytes: [UInt8] = []
    while try await client.read(into: &bytes, limit: 1 << 20) > 0 {}
    #expect(bytes.count == size)
    try await writing.value
  }

  @Test @LoopActor func closeEndsAPendingRead() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    let reading = Task.immediate {
      var bytes: [UInt8] = []
      return try await server.read(into: &bytes, limit: 10)
    }
    await turns()
    server.close()
    await #expect(throws: StreamError.closed) { try await reading.value }
    client.close()
  }

  @Test @LoopActor func knowsThePeerOfAUnixSocket() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    #expect(server.peer == PeerCredentials(pid: getpid(), uid: getuid(), gid: getgid()))
    client.close()
  }

  @Test @LoopActor func aWriteToAPeerThatHasGoneIsAnError() async throws {
    let (client, server) = try await unixPair(in: try ScratchDirectory())
    client.close()
    await #expect(throws: StreamError.system(SystemError(call: "send", code: EPIPE))) {
      try await server.write([1])
    }
  }
}
