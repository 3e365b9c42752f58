import EventLoop
import HTTP
import Testing

/// Time limits, each shortened so that it alone is met.
@Suite @LoopActor struct ServerTimeTests {
  private func limits(
    header: Duration = .seconds(60), body: Duration = .seconds(60), idle: Duration = .seconds(60)
  ) -> HTTPLimits {
    var limits = HTTPLimits()
    limits.headerTime = header
    limits.bodyTime = body
    limits.idleTime = idle
    limits.lingerTime = .milliseconds(50)
    return limits
  }

  /// For a client that does what it has to at once, on whatever machine.
  private static let enough: Duration = .seconds(4)
  private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: Transport.allCases)
  func aSilentConnectionIsClosedWithoutAWord(_ transport: Transport) async throws {
    let fixture = try Fixture(
      TestHandler(), limits: limits(header: .milliseconds(30)), over: transport)
    let stream = try await fixture.connect()
    #expect(try await stream.readToEnd() == "")
  }

  @Test(arguments: Transport.allCases)
  func aHeaderThatTakesTooLongIsRefused(_ transport: Transport) async throws {
    let fixture = try Fixture(
      TestHandler(), limits: limits(header: Self.enough), over: transport)
    let stream = try await fixture.connect()
    try await stream.write("GET / HTTP/1.1\r\nHost")
    let answer = try await stream.readToEnd()
    #expect(statuses(answer) == [408])
    #expect(answer.contains("Connection: close\r\n"))
  }

  @Test func theHeaderTimeIsNotStartedAgainByEachByte() async throws {
    let fixture = try Fixture(TestHandler(), limits: limits(header: Self.enough))
    let stream = try await fixture.connect()
    let drip = Task {
      for byte in Array(repeating: UInt8(ascii: "G"), count: 1000) {
        guard (try? await stream.write([byte])) != nil else { return }
        try? await LoopActor.sleep(for: .milliseconds(20))
      }
    }
    #expect(try await statuses(stream.readToEnd()) == [408])
    stream.close()
    await drip.value
  }

  @Test func theHeaderTimeOfALaterRequestBeginsWithItsFirstByte() async throws {
    let fixture = try Fixture(
      TestHandler(), limits: limits(header: Self.enough, idle: .seconds(60)))
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    _ = try await stream.read(through: "]")
    // Longer than the header time: the connection is idle, not slow.
    try await LoopActor.sleep(for: Self.enough * 1.25)
    try await stream.write(Self.get)
    #expect(try await statuses(stream.read(through: "]")) == [200])
    try await stream.write("GET")
    #expect(try await statuses(stream.readToEnd()) == [408])
  }

  @Test(arguments: Transport.allCases)
  func anIdleConnectionIsClosedWithoutAWord(_ transport: Transport) async throws {
    let fixture = try Fixture(
      TestHandler(), limits: limits(idle: .milliseconds(30)), over: transport)
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    #expect(try await statuses(stream.readToEnd()) == [200])
  }

  @Test func aBodyThatTakesTooLongIsRefused() async throws {
    let fixture = try Fixture(TestHandler(), limits: limits(body: .milliseconds(30)))
    let stream = try await fixture.connect()
    try await stream.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab")
    #expect(try await statuses(stream.readToEnd()) == [408])
  }

  @Test func aLongAnswerIsNotCutByTheTimesOfRequests() async throws {
    let handler = TestHandler()
    handler.respond = { _ in
      try? await LoopActor.sleep(for: Self.enough * 1.25)
      return HTTPResponse(200, text: "late")
    }
    let short = limits(header: Self.enough, body: Self.enough, idle: Self.enough)
    let fixture = try Fixture(handler, limits: short)
    #expect(try await fixture.exchange(Self.get).hasSuffix("late"))
  }

  @Test func silentConnectionsDoNotKeepOthersWaiting() async throws {
    let fixture = try Fixture(TestHandler(), over: .loopback4)
    var silent: [any ByteStream] = []
    for _ in 1...10 { silent.append(try await fixture.connect()) }
    #expect(try await statuses(fixture.exchange(Self.get)) == [200])
    for stream in silent { stream.close() }
  }

  @Test func aReaderThatTakesNothingIsCut() async throws {
    var limits = limits()
    limits.writeStall = .milliseconds(30)
    let handler = TestHandler()
    handler.respond = { _ in HTTPResponse(200, body: Array(repeating: 0, count: 1 << 20)) }
    let fixture = try Fixture(handler, limits: limits)
    let stream = try await fixture.connect(capacity: 1000)
    try await stream.write(Self.get)
    await fixture.waitUntilConnected(1)
    // Nothing is read before the server has given up.
    await fixture.waitUntilNobodyIsConnected()
    #expect(try await stream.readToEnd().utf8.count == 1000)
  }
}
