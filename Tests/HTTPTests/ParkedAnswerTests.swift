import EventLoop
import HTTP
import Testing

/// Answers that come when something has happened.
@Suite @LoopActor struct ParkedAnswerTests {
  /// An answer that a test gives.
  @LoopActor final class Parked: ParkedAnswer {
    var onAnswer: (@LoopActor (HTTPResponse) -> Void)?
    let hurried = Signal()

    func answer(_ text: String) {
      let action = onAnswer
      onAnswer = nil
      action?(HTTPResponse(200, text: text))
    }

    func hurry() {
      hurried.fire()
      answer("hurried")
    }
  }

  /// Parks `/wait`, and answers everything else at once.
  @LoopActor final class Handler: HTTPHandler {
    private(set) var parked: [Parked] = []
    private var arrival = Signal()

    func reply(to request: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPReply {
      guard request.path == "/wait" else { return .now(HTTPResponse(200, text: request.path)) }
      let answer = Parked()
      parked.append(answer)
      arrival.fire()
      return .parked(answer)
    }

    func respond(to request: HTTPRequest, on connection: HTTPConnectionInfo) async -> HTTPResponse {
      await reply(to: request, on: connection).value()
    }

    /// The first answer that is waited for.
    func first() async -> Parked {
      await arrival.wait()
      return parked[0]
    }
  }

  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

  @Test(arguments: Transport.allCases)
  func comesWhenItIsThere(_ transport: Transport) async throws {
    let handler = Handler()
    let fixture = try Fixture(handler, over: transport)
    let stream = try await fixture.connect()
    try await stream.write(Self.get("/wait"))
    await handler.first().answer("told")
    #expect(try await stream.read(through: "told").contains("Content-Length: 4\r\n"))
    try await stream.write(Self.get("/next"))
    #expect(try await stream.read(through: "/next").contains("200"))
    stream.close()
  }

  @Test(arguments: Transport.allCases, [true, false])
  func whatIsSentAheadIsAnsweredAfterIt(_ transport: Transport, _ together: Bool) async throws {
    let handler = Handler()
    let fixture = try Fixture(handler, over: transport)
    let stream = try await fixture.connect()
    try await stream.write(
      Self.get("/first") + Self.get("/wait") + (together ? Self.get("/second") : ""))
    let parked = await handler.first()
    if !together { try await stream.write(Self.get("/second")) }
    try await stream.write(Self.get("/third"))
    // Whatever is read ahead is read by now.
    for _ in 1...10 { await Task.yield() }
    parked.answer("told")
    let text = try await stream.read(through: "/third")
    let order = ["/first", "told", "/second", "/third"].compactMap {
      text.firstRange(of: $0)?.lowerBound
    }
    #expect(order.count == 4 && order == order.sorted())
    stream.close()
  }

  @Test(arguments: Transport.allCases)
  func aClientThatEndedItsSideGetsIt(_ transport: Transport) async throws {
    let handler = Handler()
    let fixture = try Fixture(handler, over: transport)
    let stream = try await fixture.connect()
    try await stream.write(Self.get("/wait"))
    stream.shutdownWrite()
    await handler.first().answer("told")
    #expect(try await stream.readToEnd().hasSuffix("told"))
    stream.close()
    await fixture.waitUntilNobodyIsConnected()
  }

  @Test(arguments: [Transport.memory, .unix])
  func aClientThatLeavesIsNotWaitedFor(_ transport: Transport) async throws {
    let handler = Handler()
    let fixture = try Fixture(handler, over: transport)
    let stream = try await fixture.connect()
    try await stream.write(Self.get("/wait"))
    let parked = await handler.first()
    stream.close()
    await parked.hurried.wait()
    await fixture.waitUntilNobodyIsConnected()
  }

  @Test func aStopWaitsForItUntilItsDeadline() async throws {
    let handler = Handler()
    let fixture = try Fixture(handler, over: .unix)
    let told = try await fixture.connect()
    try await told.write(Self.get("/wait"))
    let first = await handler.first()
    let cut = try await fixture.connect()
    try await cut.write(Self.get("/wait"))
    while handler.parked.count < 2 { await Task.yield() }
    let idle = try await fixture.connect()
    await fixture.waitUntilConnected(3)
    async let stopped: Void = fixture.server.stop(within: .seconds(4))
    // The stop has begun: it closes who has nothing to wait for.
    #expect(try await idle.readToEnd() == "")
    first.answer("told")
    let answer = try await told.readToEnd()
    #expect(answer.hasSuffix("told") && answer.contains("Connection: close\r\n"))
    told.close()
    await handler.parked[1].hurried.wait()
    #expect(try await cut.readToEnd() == "")
    await stopped
  }

  @Test func aConnectionThatEndsLeavesNothingToTheNext() async throws {
    // What was sent ahead by a client that has left is nobody's request.
    let handler = Handler()
    let fixture = try Fixture(handler, over: .unix)
    for _ in 1...20 {
      let gone = try await fixture.connect()
      try await gone.write(Self.get("/one") + Self.get("/two") + "GET /half")
      gone.close()
      let text = try await fixture.exchange(Self.get("/mine"))
      #expect(statuses(text) == [200])
      #expect(text.hasSuffix("\r\n\r\n/mine"))
    }
    await fixture.waitUntilNobodyIsConnected()
  }
}
