import EventLoop
import Glibc
import HTTP
import Testing

/// Connections: how many, and how they end.
@Suite @LoopActor struct ServerConnectionTests {
  private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: Transport.allCases)
  func oneConnectionTooManyIsToldSo(_ transport: Transport) async throws {
    var limits = HTTPLimits.patient
    limits.connections = 3
    let fixture = try Fixture(TestHandler(), limits: limits, over: transport)
    var open: [any ByteStream] = []
    for _ in 1...3 {
      let stream = try await fixture.connect()
      try await stream.write(Self.get)
      #expect(try await statuses(stream.read(through: "]")) == [200])
      open.append(stream)
    }
    let refused = try await fixture.exchange(Self.get)
    #expect(statuses(refused) == [429])
    #expect(refused.contains("Retry-After: 1\r\n"))
    #expect(refused.contains("Connection: close\r\n"))
    // One that leaves makes room.
    open.removeLast().close()
    await fixture.waitUntilConnected(2)
    #expect(try await statuses(fixture.exchange(Self.get)) == [200])
    for stream in open { stream.close() }
  }

  @Test func refusalsAreLimitedToo() async throws {
    var limits = HTTPLimits.patient
    limits.connections = 0
    limits.refusals = 2
    let fixture = try Fixture(TestHandler(), limits: limits)
    var told: [any ByteStream] = []
    for _ in 1...2 {
      let stream = try await fixture.connect()
      #expect(try await statuses(stream.readToEnd()) == [429])
      told.append(stream)
    }
    // Those two have not ended their side, so they are still being drained.
    let stream = try await fixture.connect()
    #expect(try await stream.readToEnd() == "")
    for stream in told { stream.close() }
    await fixture.waitUntilNobodyIsConnected()
    let later = try await fixture.connect()
    #expect(try await statuses(later.readToEnd()) == [429])
    later.close()
  }

  @Test func theServerTellsHowManyAreConnected() async throws {
    let fixture = try Fixture(TestHandler(), over: .unix)
    var counts: [Int] = []
    fixture.server.onConnectionCountChange = { counts.append(fixture.server.connectionCount) }
    _ = try await fixture.exchange(Self.get)
    await fixture.waitUntilNobodyIsConnected()
    #expect(counts == [1, 0])
    fixture.server.onConnectionCountChange = nil
  }

  @Test(arguments: Transport.allCases)
  func aLongAnswerToAnUnreadRequestIsReadToItsEnd(_ transport: Transport) async throws {
    let page = String(repeating: "p", count: 200_000)
    let handler = TestHandler()
    handler.respond = { _ in HTTPResponse(200, text: page) }
    handler.refuseHead = { $0.method == .post ? HTTPResponse(403, text: page) : nil }
    let fixture = try Fixture(handler, persistence: .closesAfterEachAnswer, over: transport)
    for method in ["GET", "POST"] {
      let stream = try await fixture.connect(capacity: 8192)
      // The POST is refused before its body, which stays unread; more than one request's worth
      // of bytes follows both.
      let sending = Task {
        try? await stream.write("\(method) / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n")
        try? await stream.write(Array(repeating: 0, count: 30_000))
      }
      var bytes: [UInt8] = []
      while try await stream.read(into: &bytes, limit: 1000) > 0 {
        if bytes.count % 10_000 < 1000 { try await LoopActor.sleep(for: .milliseconds(1)) }
      }
      await sending.value
      #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\r\n\r\n\(page)"))
      stream.close()
    }
  }

  @Test func drainingEndsAtItsLimits() async throws {
    var limits = HTTPLimits()
    limits.lingerTime = .milliseconds(30)
    let silent = try Fixture(TestHandler(), limits: limits, persistence: .closesAfterEachAnswer)
    let stream = try await silent.connect()
    try await stream.write(Self.get)
    #expect(try await statuses(stream.readToEnd()) == [200])
    await silent.waitUntilNobodyIsConnected()

    limits = HTTPLimits()
    limits.lingerTime = .seconds(60)
    limits.lingerBytes = 100_000
    let chatty = try Fixture(TestHandler(), limits: limits, persistence: .closesAfterEachAnswer)
    let talker = try await chatty.connect()
    try await talker.write(Self.get)
    await #expect(throws: StreamError.closed) {
      while true { try await talker.write(Array(repeating: 0, count: 10_000)) }
    }
    await chatty.waitUntilNobodyIsConnected()
  }

  @Test func aClientThatHangsUpCancelsItsHandler() async throws {
    let handler = TestHandler()
    let cancelled = Signal()
    let started = Signal()
    handler.respond = { _ in
      started.fire()
      do { try await LoopActor.sleep(for: .seconds(60)) } catch { cancelled.fire() }
      return HTTPResponse(200)
    }
    let fixture = try Fixture(handler, over: .unix)
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    await started.wait()
    stream.close()
    await cancelled.wait()
    await fixture.waitUntilNobodyIsConnected()
  }

  @Test(arguments: [Transport.unix, .loopback4])
  func aClientThatLeavesDuringTheAnswerHarmsNobody(_ transport: Transport) async throws {
    let handler = TestHandler()
    handler.respond = { _ in HTTPResponse(200, body: Array(repeating: 0, count: 1 << 20)) }
    let fixture = try Fixture(handler, over: transport)
    for _ in 1...100 {
      let stream = try await fixture.connect()
      try await stream.write(Self.get)
      var bytes: [UInt8] = []
      _ = try await stream.read(into: &bytes, limit: 10)
      // Closing with unread bytes resets a TCP connection.
      stream.close()
    }
    await fixture.waitUntilNobodyIsConnected()
    handler.respond = { _ in HTTPResponse(200, text: "alive") }
    #expect(try await fixture.exchange(Self.get).hasSuffix("alive"))
  }

  @Test(arguments: [Transport.unix, .loopback4])
  func connectionsThatAreAbortedAtOnceHarmNobody(_ transport: Transport) async throws {
    let fixture = try Fixture(TestHandler(), over: transport)
    for _ in 1...100 { try await fixture.connect().close() }
    #expect(try await statuses(fixture.exchange(Self.get)) == [200])
    await fixture.waitUntilNobodyIsConnected()
  }
}
