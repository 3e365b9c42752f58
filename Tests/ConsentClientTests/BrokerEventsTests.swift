import ConsentClient
import EventLoop
import HTTP
import MeroConsent
import Testing

@Suite @LoopActor struct BrokerEventsTests {
  /// A daemon whose event streams a test writes.
  @LoopActor final class Streams {
    private(set) var open: [HTTPBodyStream] = []
    private var waiters: [(count: Int, signal: Signal)] = []
    var farewell: [UInt8] = []

    func daemon() throws -> StubDaemon {
      try StubDaemon { request in
        let body = HTTPBodyStream(farewell: self.farewell)
        body.send(ServerSentEvent.comment)
        self.open.append(body)
        for waiter in self.waiters where waiter.count <= self.open.count { waiter.signal.fire() }
        return HTTPResponse(200, headers: [.contentType: "text/event-stream"], stream: body)
      }
    }

    /// The stream of the `number`th connection, as soon as it is there.
    func stream(_ number: Int) async -> HTTPBodyStream {
      let signal = Signal()
      waiters.append((number, signal))
      if open.count >= number { signal.fire() }
      await signal.wait()
      return open[number - 1]
    }
  }

  private static func event(_ id: Int, _ state: String = "started") -> [UInt8] {
    ServerSentEvent(
      event: "request", data: #"{"requestId":"rq-\#(id)","state":"\#(state)"}"#, id: String(id)
    ).bytes
  }

  @Test func tellsEventsInOrder() async throws {
    let streams = Streams()
    let daemon = try streams.daemon()
    var events = daemon.session().events(after: "4").makeAsyncIterator()
    Task {
      let stream = await streams.stream(1)
      for id in 5...7 { stream.send(Self.event(id)) }
      stream.send(ServerSentEvent(event: "newKindOfEvent", data: "{}", id: "8").bytes)
      stream.send(
        ServerSentEvent(
          event: "request",
          data: #"{"readFailure":{"code":"NODE_ERROR","since":"2026-12-01T09:00:00Z"},"#
            + #""requestId":"rq-7","state":"started"}"#
        ).bytes)
      stream.send(
        ServerSentEvent(
          event: "request",
          data: #"{"activationToken":"tok-1","lastReturn":{"at":"2026-12-01T09:00:00Z","#
            + #""code":"OK"},"requestId":"rq-9","state":"approved"}"#, id: "9"
        ).bytes)
    }
    for id in 5...7 {
      let event = try #require(try await events.next())
      #expect(event.id == String(id) && event.requestId == "rq-\(id)" && event.state == .started)
    }
    let unread = try #require(try await events.next())
    // It has no number of its own: whoever comes back goes on after the last one that has.
    #expect(unread.id == "8" && unread.readFailure?.code.rawValue == "NODE_ERROR")
    #expect(unread.isRecorded)
    let last = try #require(try await events.next())
    #expect(last.readFailure == nil)
    #expect(last.id == "9" && last.state == .approved && last.lastReturn?.code == "OK")
    #expect(last.activationToken == "tok-1")
    let request = try #require(daemon.requests.first)
    #expect(request.line == "GET /v1/events")
    #expect(request.headers[.lastEventID] == "4")
    #expect(request.headers[.accept] == "text/event-stream")
    #expect(request.headers[.authorization] == "Bearer k-secret")
  }

  @Test func connectsAgainAfterTheLastEvent() async throws {
    let streams = Streams()
    let daemon = try streams.daemon()
    var events = daemon.session().events().makeAsyncIterator()
    let isRead = Signal()
    Task {
      let first = await streams.stream(1)
      first.send(Self.event(1))
      // Half an event, and the connection is gone.
      first.send(Array("id: 2\nevent: request\ndata: {\"requ".utf8))
      await first.room()
      await isRead.wait()
      first.breakOff()
      let second = await streams.stream(2)
      second.send(Self.event(2))
      second.finish()
      await streams.stream(3).send(Self.event(3))
    }
    for id in 1...3 {
      #expect(try await events.next()?.id == String(id))
      isRead.fire()
    }
    #expect(daemon.requests.map { $0.headers[.lastEventID] } == [nil, "1", "2"])
  }

  @Test func goesOnWhenTheDaemonStartsAgain() async throws {
    let streams = Streams()
    streams.farewell = ServerSentEvent(event: "shutdown", data: "{}").bytes
    let daemon = try streams.daemon()
    var events = daemon.session().events().makeAsyncIterator()
    let isRead = Signal()
    Task {
      await streams.stream(1).send(Self.event(1))
      await isRead.wait()
      await daemon.stop()
      // Nobody is there for a moment.
      try await LoopActor.sleep(for: .milliseconds(400))
      try daemon.start()
      await streams.stream(2).send(Self.event(2))
    }
    #expect(try await events.next()?.id == "1")
    isRead.fire()
    #expect(try await events.next()?.id == "2")
    #expect(daemon.requests.last?.headers[.lastEventID] == "1")
  }

  @Test func aDaemonThatEndsEachStreamIsNotHammered() async throws {
    let streams = Streams()
    let daemon = try streams.daemon()
    let reading = Task {
      var events = daemon.session().events().makeAsyncIterator()
      _ = try await events.next()
    }
    for number in 1...3 { await streams.stream(number).finish() }
    let begin = BootInstant.now
    _ = await streams.stream(4)
    // 0.25, 0.5, then 1 s.
    #expect(BootInstant.now - begin >= .milliseconds(900))
    reading.cancel()
    await #expect(throws: BrokerError.cancelled) { try await reading.value }
  }

  @Test func aClosedSessionEndsTheEvents() async throws {
    let streams = Streams()
    let daemon = try streams.daemon()
    var events = daemon.session().events().makeAsyncIterator()
    Task {
      let stream = await streams.stream(1)
      daemon.answer { _ in HTTPResponse(401, text: problemJSON("KEY_REQUIRED", status: 401)) }
      stream.finish()
    }
    await #expect(throws: BrokerError.keyRequired) { _ = try await events.next() }
  }

  @Test func withoutADaemonInTheFirstPlaceItIsAnError() async throws {
    let daemon = try Streams().daemon()
    await daemon.stop()
    var events = daemon.session().events().makeAsyncIterator()
    await #expect(throws: BrokerError.unavailable) { _ = try await events.next() }
  }

  @Test func anEventThatCannotBeReadIsAnError() async throws {
    let streams = Streams()
    let daemon = try streams.daemon()
    var events = daemon.session().events().makeAsyncIterator()
    Task {
      let stream = await streams.stream(1)
      stream.send(ServerSentEvent(event: "request", data: "nonsense", id: "1").bytes)
    }
    await #expect(throws: BrokerError.invalidAnswer) { _ = try await events.next() }
  }

  @Test func cancellingEndsTheStreamForTheDaemon() async throws {
    let streams = Streams()
    let daemon = try streams.daemon()
    let reading = Task {
      for try await _ in daemon.session().events() {}
    }
    let ended = Signal()
    let stream = await streams.stream(1)
    stream.onEnd = { ended.fire() }
    reading.cancel()
    await #expect(throws: BrokerError.cancelled) { try await reading.value }
    await ended.wait()
  }

  @Test func leavingTheLoopEndsTheStreamForTheDaemon() async throws {
    let streams = Streams()
    let daemon = try streams.daemon()
    let ended = Signal()
    Task {
      let stream = await streams.stream(1)
      stream.onEnd = { ended.fire() }
      stream.send(Self.event(1))
    }
    for try await event in daemon.session().events() {
      #expect(event.id == "1")
      break
    }
    await ended.wait()
  }
}
