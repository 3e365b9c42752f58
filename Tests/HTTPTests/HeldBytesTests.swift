import EventLoop
import HTTP
import Testing

/// What all clients of a server may have it hold at the same time.
@Suite @LoopActor struct HeldBytesTests {
  private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  /// Room for one request of 30,000 bytes and one answer of a megabyte, and not for two.
  private static let limits: HTTPLimits = {
    var limits = HTTPLimits.patient
    limits.ownBytes = 1000
    limits.requestBytes = 50_000
    limits.requestGrace = .seconds(600)
    limits.answerBytes = 1_500_000
    limits.streamQueue = 1_000_000
    return limits
  }()

  private static func post(_ count: Int, more: String = "") -> String {
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\(more)\r\n"
  }

  private func answering(with body: [UInt8] = Array("ok]".utf8)) -> TestHandler {
    let handler = TestHandler()
    handler.respond = { _ in HTTPResponse(200, body: body) }
    return handler
  }

  /// A client that has sent the head of a large request and half of its body.
  private func halfARequest(to fixture: Fixture) async throws -> any ByteStream {
    let stream = try await fixture.connect()
    try await stream.write(Self.post(30_000, more: "Expect: 100-continue\r\n"))
    _ = try await stream.read(through: "100 Continue\r\n\r\n")
    try await stream.write([UInt8](repeating: 1, count: 15_000))
    return stream
  }

  @Test(arguments: Transport.allCases)
  func aBodyWithoutRoomIsRefusedBeforeItIsSent(_ transport: Transport) async throws {
    let fixture = try Fixture(answering(), limits: Self.limits, over: transport)
    let first = try await halfARequest(to: fixture)
    let second = try await fixture.connect()
    try await second.write(Self.post(30_000, more: "Expect: 100-continue\r\n"))
    second.shutdownWrite()
    let answer = try await second.readToEnd()
    #expect(statuses(answer) == [429])
    #expect(answer.contains("Retry-After: 1\r\n") && answer.contains("Connection: close\r\n"))
    // Who was first goes on.
    try await first.write([UInt8](repeating: 1, count: 15_000))
    #expect(try await statuses(first.read(through: "]")) == [200])
    // Its room is free again, and the connection may stay.
    let third = try await halfARequest(to: fixture)
    for stream in [first, second, third] { stream.close() }
  }

  @Test func aBodyThatGrowsBeyondTheRoomIsRefused() async throws {
    let fixture = try Fixture(answering(), limits: Self.limits)
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
    let many = String(repeating: chunk, count: 20)
    #expect(try await statuses(fixture.exchange(head + many + "0\r\n\r\n")) == [429])
    #expect(try await statuses(fixture.exchange(head + chunk + "0\r\n\r\n")) == [200])
  }

  @Test func headsCountToo() async throws {
    let fixture = try Fixture(answering(), limits: Self.limits)
    let field = "X: " + String(repeating: "y", count: 20_000) + "\r\n"
    var streams: [any ByteStream] = []
    for _ in 1...2 {
      let stream = try await fixture.connect()
      try await stream.write("GET / HTTP/1.1\r\n" + field)
      streams.append(stream)
    }
    // Of two, one finds no room; which, is a matter of when they are read.
    let other = try await fixture.connect()
    try await other.write("GET / HTTP/1.1\r\n" + field)
    other.shutdownWrite()
    #expect(try await statuses(other.readToEnd()) == [429])
    for stream in streams + [other] { stream.close() }
  }

  @Test(arguments: Transport.allCases)
  func anOrdinaryCallIsServedWhenThereIsNoRoom(_ transport: Transport) async throws {
    let fixture = try Fixture(answering(), limits: Self.limits, over: transport)
    let first = try await halfARequest(to: fixture)
    for _ in 1...50 { #expect(try await statuses(fixture.exchange(Self.get)) == [200]) }
    let small = Self.post(500) + String(repeating: "x", count: 500)
    #expect(try await statuses(fixture.exchange(small)) == [200])
    first.close()
  }

  /// A client that stops in the middle keeps the room for a while, and no longer where another
  /// needs it.
  @Test(arguments: [Transport.unix, .loopback4])
  func whoStopsInTheMiddleMakesRoom(_ transport: Transport) async throws {
    var limits = Self.limits
    limits.requestGrace = .zero
    let fixture = try Fixture(answering(), limits: limits, over: transport)
    let first = try await halfARequest(to: fixture)
    let second = try await halfARequest(to: fixture)
    #expect(try await statuses(first.read(through: "\r\n\r\n")) == [429])
    try await second.write([UInt8](repeating: 1, count: 15_000))
    #expect(try await statuses(second.read(through: "]")) == [200])
    first.close()
    second.close()
  }

  @Test func aRequestThatIsBeingAnsweredIsNotEnded() async throws {
    let handler = TestHandler()
    let (reached, leave) = (Waiter(), Waiter())
    handler.respond = { _ in
      reached.signal()
      _ = await leave.wait(until: .now + .seconds(600))
      return HTTPResponse(200, text: "ok]")
    }
    var limits = Self.limits
    limits.requestGrace = .zero
    let fixture = try Fixture(handler, limits: limits, over: .unix)
    let first = try await halfARequest(to: fixture)
    try await first.write([UInt8](repeating: 1, count: 15_000))
    _ = await reached.wait(until: .now + .seconds(600))
    let second = try await fixture.connect()
    try await second.write(Self.post(30_000))
    second.shutdownWrite()
    #expect(try await statuses(second.readToEnd()) == [429])
    leave.signal()
    #expect(try await statuses(first.read(through: "]")) == [200])
    first.close()
    second.close()
  }

  /// A request that is answered as it comes is not counted; one that has to wait is, with what was
  /// sent ahead behind it.
  @Test func whatWaitsForItsAnswerCounts() async throws {
    let handler = TestHandler()
    let leave = Signal()
    handler.respond = { _ in
      await leave.wait()
      return HTTPResponse(200, text: "ok]")
    }
    let fixture = try Fixture(handler, limits: Self.limits)
    let pad = String(repeating: "y", count: 12_000)
    var refused = 0
    let clients = (1...8).map { number in
      Task {
        let stream = try await fixture.connect()
        // Small enough to come in one piece.
        try await stream.write(
          number.isMultiple(of: 2)
            ? "GET / HTTP/1.1\r\nHost: a\r\nX: \(pad)\r\n\r\n"
            : Self.get + "GET / HTTP/1.1\r\nHost: a\r\nX: \(pad)")
        stream.shutdownWrite()
        if try await statuses(stream.readToEnd()).first == 429 { refused += 1 }
      }
    }
    // There is room for some of them.
    while handler.requests.count + refused < clients.count { await Task.yield() }
    #expect(refused > 0 && refused < clients.count)
    leave.fire()
    for client in clients { try await client.value }
  }

  /// Of those who do not read their answers, the one that has taken the longest is cut, and only
  /// when another needs its room.
  // The kernel takes a whole megabyte for a reader on TCP.
  @Test(arguments: [Transport.memory, .unix])
  func theSlowestReaderMakesRoom(_ transport: Transport) async throws {
    let answer = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
    let fixture = try Fixture(answering(with: answer), limits: Self.limits, over: transport)
    let silent = try await fixture.connect(capacity: 1000)
    try await silent.write(Self.get)
    // It has begun to come, and is far from all there.
    _ = try await silent.read(through: "\r\n\r\n")
    for _ in 1...3 {
      let stream = try await fixture.connect(capacity: 1000)
      try await stream.write(Self.get)
      stream.shutdownWrite()
      #expect(try await stream.readToEnd().utf8.count > answer.count)
      stream.close()
    }
    #expect(try await silent.readToEndOrCut() < answer.count)
    silent.close()
  }

  @Test(arguments: Transport.allCases)
  func aStreamThatNobodyReadsMakesRoom(_ transport: Transport) async throws {
    let handler = TestHandler()
    var bodies: [HTTPBodyStream] = []
    handler.respond = { _ in
      let body = HTTPBodyStream()
      bodies.append(body)
      return HTTPResponse(200, stream: body)
    }
    let fixture = try Fixture(handler, limits: Self.limits, over: transport)
    var streams: [any ByteStream] = []
    for _ in 1...2 {
      let stream = try await fixture.connect(capacity: 1000)
      try await stream.write(Self.get)
      _ = try await stream.read(through: "\r\n\r\n")
      streams.append(stream)
    }
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 900_000)
    #expect(bodies[0].send(piece))
    #expect(!bodies[0].isOver)
    #expect(bodies[1].send(piece))
    while !bodies[0].isOver { await Task.yield() }
    #expect(!bodies[1].isOver)
    for stream in streams { stream.close() }
    await fixture.waitUntilNobodyIsConnected()
  }
}

extension ByteStream {
  /// How many bytes come until the end, or until the connection is cut.
  fileprivate func readToEndOrCut() async throws -> Int {
    var count = 0
    var bytes: [UInt8] = []
    while let more = try? await read(into: &bytes, limit: 65_536), more > 0 {
      count += more
      bytes.removeAll(keepingCapacity: true)
    }
    return count
  }
}
