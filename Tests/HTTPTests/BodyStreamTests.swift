import EventLoop
import HTTP
import Testing

/// Answers without an end: events to readers that may be slow, or gone.
@Suite @LoopActor struct BodyStreamTests {
  private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  /// A server that hands each request's stream out.
  private func serving(
    heartbeat: HTTPBodyStream.Heartbeat? = nil, limits: HTTPLimits = .patient,
    over transport: Transport = .memory, _ opened: @escaping @LoopActor (HTTPBodyStream) -> Void
  ) throws -> Fixture {
    let handler = TestHandler()
    handler.respond = { _ in
      let body = HTTPBodyStream(heartbeat: heartbeat)
      opened(body)
      return HTTPResponse(200, stream: body)
    }
    return try Fixture(handler, limits: limits, over: transport)
  }

  @Test(arguments: Transport.allCases)
  func bytesArriveAsTheyAreSent(_ transport: Transport) async throws {
    var body: HTTPBodyStream?
    let fixture = try serving(over: transport) { body = $0 }
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    _ = try await stream.read(through: "\r\n\r\n")
    for number in 1...20 {
      #expect(try #require(body).send(Array("event \(number).".utf8)))
      #expect(try await stream.read(through: ".\r\n").hasSuffix("\r\nevent \(number).\r\n"))
    }
    body?.finish()
    #expect(try await stream.read(through: "0\r\n\r\n") == "0\r\n\r\n")
    #expect(body?.send([1]) == false)
    // The connection goes on.
    try await stream.write(Self.get)
    #expect(try await statuses(stream.read(through: "\r\n\r\n")) == [200])
    stream.close()
  }

  @Test func aSilentStreamBeats() async throws {
    let beat = HTTPBodyStream.Heartbeat(
      every: .milliseconds(10), bytes: ServerSentEvent.comment)
    var body: HTTPBodyStream?
    let fixture = try serving(heartbeat: beat) { body = $0 }
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    _ = try await stream.read(through: "3\r\n:\n\n\r\n3\r\n:\n\n\r\n")
    body?.send(Array("x".utf8))
    _ = try await stream.read(through: "x\r\n")
    _ = try await stream.read(through: "3\r\n:\n\n\r\n")
    stream.close()
    await fixture.waitUntilNobodyIsConnected()
  }

  @Test func aStreamThatNobodyEndsOutlivesEveryTimeOfRequests() async throws {
    var limits = HTTPLimits()
    // Time enough to ask, on whatever machine.
    limits.headerTime = .seconds(4)
    limits.bodyTime = .seconds(4)
    limits.idleTime = .seconds(4)
    limits.writeStall = .seconds(4)
    var body: HTTPBodyStream?
    let fixture = try serving(limits: limits) { body = $0 }
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    _ = try await stream.read(through: "\r\n\r\n")
    try await LoopActor.sleep(for: .seconds(5))
    #expect(body?.send(Array("late".utf8)) == true)
    #expect(try await stream.read(through: "late\r\n") == "4\r\nlate\r\n")
    stream.close()
  }

  @Test(arguments: [Transport.memory, .unix])
  func aReaderThatLeavesEndsTheStreamAtOnce(_ transport: Transport) async throws {
    let ended = Signal()
    var body: HTTPBodyStream?
    let fixture = try serving(over: transport) {
      body = $0
      $0.onEnd = { ended.fire() }
    }
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    _ = try await stream.read(through: "\r\n\r\n")
    stream.close()
    // Nothing was sent: the hang-up alone is noticed.
    await ended.wait()
    await fixture.waitUntilNobodyIsConnected()
    #expect(body?.isOver == true)
  }

  // Not over TCP, whose buffers grow to megabytes.
  @Test(arguments: [Transport.memory, .unix])
  func aReaderThatStopsReadingIsDroppedAndOthersAreNot(_ transport: Transport) async throws {
    var bodies: [HTTPBodyStream] = []
    let ended = Signal()
    let fixture = try serving(over: transport) {
      bodies.append($0)
      if bodies.count == 1 { $0.onEnd = { ended.fire() } }
    }
    let stalled = try await fixture.connect(capacity: 4096)
    try await stalled.write(Self.get)
    _ = try await stalled.read(through: "\r\n\r\n")
    let reader = try await fixture.connect()
    try await reader.write(Self.get)
    _ = try await reader.read(through: "\r\n\r\n")
    #expect(bodies.count == 2)

    let count = 30_000
    let reading = Task { try await reader.readToEnd() }
    for number in 1...count {
      let event = ServerSentEvent(data: "number \(number) of a long line of events").bytes
      for body in bodies { body.send(event) }
      // What a daemon does: it goes back to its loop after each event.
      if number % 100 == 0 { await Task.yield() }
      if number % 1000 == 0 { try await LoopActor.sleep(for: .milliseconds(1)) }
    }
    await ended.wait()
    #expect(!bodies[1].isOver)
    bodies[1].finish()
    reader.shutdownWrite()
    let text = try await reading.value
    var parser = ServerSentEventParser()
    let events = try parser.feed(try dechunked(text))
    #expect(events.count == count)
    #expect(events.last?.data == "number \(count) of a long line of events")
    // What the stalled one gets is cut: it has no last chunk.
    let rest = try? await stalled.readToEnd()
    #expect(rest?.hasSuffix("0\r\n\r\n") != true)
    stalled.close()
  }

  private func dechunked(_ text: String) throws -> [UInt8] {
    var parser = HTTPResponseParser(
      limits: { () -> HTTPLimits in
        var limits = HTTPLimits()
        limits.bodyBytes = .max
        return limits
      }())
    parser.feed(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(text)".utf8))
    _ = try parser.nextHead()
    var body: [UInt8] = []
    #expect(try parser.readBody(into: &body))
    return body
  }

  @Test func theQueueHoldsItsLimitAndNoMore() async throws {
    var limits = HTTPLimits.patient
    limits.streamQueue = 1000
    var body: HTTPBodyStream?
    let fixture = try serving(limits: limits) { body = $0 }
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    _ = try await stream.read(through: "\r\n\r\n")
    let queue = try #require(body)
    // Nothing leaves the queue in between: this task does not suspend.
    #expect(queue.send(Array(repeating: 0, count: 999)))
    #expect(queue.send([0]))
    #expect(!queue.send([0]))
    #expect(queue.isOver)
    #expect(try await stream.readToEnd() == "")
  }

  @Test func aWriterWithMuchToSayWaitsForItsReader() async throws {
    var limits = HTTPLimits()
    limits.streamQueue = 1000
    var body: HTTPBodyStream?
    let fixture = try serving(limits: limits) { body = $0 }
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    _ = try await stream.read(through: "\r\n\r\n")
    let queue = try #require(body)
    let writer = Task {
      for _ in 0..<100 {
        guard queue.send(Array(repeating: UInt8(ascii: "x"), count: 400)) else { return false }
        await queue.room()
      }
      queue.finish()
      return true
    }
    let text = try await stream.read(through: "\r\n0\r\n\r\n")
    #expect(await writer.value)
    #expect(text.count { $0 == "x" } == 100 * 400)
    stream.close()
  }

  @Test func nobodyWaitsForRoomInAStreamThatIsOver() async {
    let body = HTTPBodyStream()
    body.send(Array(repeating: 0, count: HTTPLimits().streamQueue))
    let writer = Task { await body.room() }
    await Task.yield()
    body.breakOff()
    await writer.value
    await body.room()
  }

  @Test func aBodyThatBreaksOffDoesNotLookWhole() async throws {
    var body: HTTPBodyStream?
    let fixture = try serving { body = $0 }
    let stream = try await fixture.connect()
    try await stream.write(Self.get)
    _ = try await stream.read(through: "\r\n\r\n")
    body?.send(Array("part".utf8))
    _ = try await stream.read(through: "part\r\n")
    body?.breakOff()
    #expect(try await stream.readToEnd() == "")
  }

  @Test func onEndIsCalledOnceAlsoWhenSetTooLate() {
    let body = HTTPBodyStream()
    var calls = 0
    body.onEnd = { calls += 1 }
    body.finish()
    body.finish()
    body.breakOff()
    #expect(calls == 1)
    body.onEnd = { calls += 10 }
    #expect(calls == 11)
  }
}
