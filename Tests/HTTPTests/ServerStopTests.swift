import EventLoop
import HTTP
import Testing

@Suite @LoopActor struct ServerStopTests {
  private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: Transport.allCases)
  func connectionsWithoutARequestAreClosedAtOnce(_ transport: Transport) async throws {
    let fixture = try Fixture(TestHandler(), over: transport)
    let fresh = try await fixture.connect()
    let idle = try await fixture.connect()
    try await idle.write(Self.get)
    _ = try await idle.read(through: "]")
    let half = try await fixture.connect()
    try await half.write("GET /c")
    await fixture.waitUntilConnected(3)
    // The run's own limit is before this one.
    await fixture.server.stop(within: .seconds(36_000))
    #expect(fixture.server.connectionCount == 0)
    #expect(try await fresh.readToEnd() == "")
    #expect(try await idle.readToEnd() == "")
  }

  @Test func aRunningHandlerFinishes() async throws {
    let handler = TestHandler()
    let started = Signal()
    let finish = Signal()
    handler.respond = { _ in
      started.fire()
      await finish.wait()
      return HTTPResponse(200, text: "finished")
    }
    let fixture = try Fixture(handler, over: .unix)
    let stream = try await fixture.connect()
    try await stream.write(Self.get + Self.get)
    await started.wait()
    async let stopped: Void = fixture.server.stop(within: .seconds(60))
    await Task.yield()
    finish.fire()
    let answer = try await stream.readToEnd()
    #expect(statuses(answer) == [200])
    #expect(answer.contains("Connection: close\r\n"))
    #expect(answer.hasSuffix("finished"))
    stream.close()
    await stopped
    #expect(handler.requests.count == 1)
  }

  @Test func aHandlerThatDoesNotFinishIsCutAtTheDeadline() async throws {
    let handler = TestHandler()
    let started = Signal()
    let cancelled = Signal()
    handler.respond = { _ in
      started.fire()
      do { try await LoopActor.sleep(for: .seconds(60)) } catch { cancelled.fire() }
      return HTTPResponse(200)
    }
    let fixture = try Fixture(handler, over: .unix)
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    await started.wait()
    await fixture.server.stop(within: .milliseconds(20))
    #expect(try await stream.readToEnd() == "")
    await cancelled.wait()
  }

  @Test func aHandlerThatHeedsNothingIsNotWaitedFor() async throws {
    let handler = TestHandler()
    let started = Signal()
    let never = Signal()
    handler.respond = { _ in
      started.fire()
      await never.wait()
      return HTTPResponse(200)
    }
    let fixture = try Fixture(handler)
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    await started.wait()
    await fixture.server.stop(within: .milliseconds(20))
    #expect(try await stream.readToEnd() == "")
    never.fire()
    await fixture.waitUntilNobodyIsConnected()
  }

  @Test(arguments: Transport.allCases)
  func streamsEndWithTheirFarewell(_ transport: Transport) async throws {
    let handler = TestHandler()
    var ends = 0
    handler.respond = { _ in
      let body = HTTPBodyStream(farewell: ServerSentEvent(event: "shutdown", data: "").bytes)
      body.onEnd = { ends += 1 }
      body.send(ServerSentEvent(data: "first").bytes)
      return HTTPResponse(200, stream: body)
    }
    let fixture = try Fixture(handler, over: transport)
    var streams: [any ByteStream] = []
    for _ in 1...3 {
      let stream = try await fixture.connect()
      try await stream.write(Self.get)
      _ = try await stream.read(through: "first\n\n\r\n")
      streams.append(stream)
    }
    async let stopped: Void = fixture.server.stop(within: .seconds(60))
    for stream in streams {
      let event = "event: shutdown\ndata: \n\n"
      let size = String(event.utf8.count, radix: 16)
      #expect(try await stream.readToEnd() == "\(size)\r\n\(event)\r\n0\r\n\r\n")
      stream.close()
    }
    await stopped
    #expect(ends == 3)
  }

  // On a path of its own: a TCP port that was given back may be another test's at once.
  @Test func nobodyIsAcceptedAfterAStop() async throws {
    let fixture = try Fixture(TestHandler(), over: .unix)
    #expect(try await statuses(fixture.exchange(Self.get)) == [200])
    await fixture.server.stop(within: .seconds(60))
    await #expect(throws: StreamError.self) { _ = try await fixture.connect() }
  }

  @Test func stoppingTwiceIsOneStop() async throws {
    let fixture = try Fixture(TestHandler())
    let stream = try await fixture.connect()
    await fixture.waitUntilConnected(1)
    async let first: Void = fixture.server.stop(within: .seconds(60))
    async let second: Void = fixture.server.stop(within: .seconds(60))
    await first
    await second
    #expect(try await stream.readToEnd() == "")
  }
}
