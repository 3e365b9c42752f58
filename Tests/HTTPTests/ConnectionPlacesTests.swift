import EventLoop
import HTTP
import Testing

/// Who keeps a place when there are no more, and who gives way.
@Suite(.timeLimit(.minutes(2))) @LoopActor struct ConnectionPlacesTests {
  private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  private static func limits(_ connections: Int, grace: Duration = .zero) -> HTTPLimits {
    var limits = HTTPLimits.patient
    limits.connections = connections
    limits.placeGrace = grace
    return limits
  }

  /// Connects three, one after another.
  private func three(
    _ fixture: Fixture, each: (any ByteStream) async throws -> Void = { _ in }
  ) async throws -> [any ByteStream] {
    var open: [any ByteStream] = []
    for number in 1...3 {
      let stream = try await fixture.connect()
      await fixture.waitUntilConnected(number)
      try await each(stream)
      open.append(stream)
    }
    return open
  }

  private func ask(_ stream: any ByteStream) async throws -> [Int] {
    try await stream.write(Self.get)
    return try await statuses(stream.read(through: "]"))
  }

  @Test(arguments: Transport.allCases)
  func whoHasBeenSilentTheLongestGivesWay(_ transport: Transport) async throws {
    let fixture = try Fixture(TestHandler(), limits: Self.limits(3), over: transport)
    var open = try await three(fixture)
    // The first has said something, so that the second is silent for longer.
    #expect(try await ask(open[0]) == [200])
    let one = try await fixture.connect()
    #expect(try await ask(one) == [200])
    #expect(try await open[1].readToEnd() == "")
    #expect(fixture.server.connectionCount == 3)
    open[1] = one
    for stream in open { #expect(try await ask(stream) == [200]) }
    for stream in open { stream.close() }
    await fixture.waitUntilNobodyIsConnected()
  }

  /// Each has been answered once, and has a part of another request there.
  @Test(arguments: ["G", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf"])
  func soDoesOneThatIsInTheMiddleOfARequest(_ part: String) async throws {
    for transport in Transport.allCases {
      let fixture = try Fixture(TestHandler(), limits: Self.limits(3), over: transport)
      let open = try await three(fixture) { stream in
        try await stream.write(Self.get + part)
        #expect(try await statuses(stream.read(through: "]")) == [200])
      }
      var later: [any ByteStream] = []
      for stream in open {
        let one = try await fixture.connect()
        #expect(try await ask(one) == [200])
        #expect(try await stream.readToEnd() == "")
        one.close()
        await fixture.waitUntilConnected(2)
        // Its place is filled again, by one that has waited for less long.
        let another = try await fixture.connect()
        await fixture.waitUntilConnected(3)
        try await another.write(Self.get + part)
        #expect(try await statuses(another.read(through: "]")) == [200])
        later.append(another)
      }
      for stream in later { stream.close() }
      await fixture.waitUntilNobodyIsConnected()
    }
  }

  @Test(arguments: Transport.allCases)
  func soDoesOneThatStaysAfterItsAnswer(_ transport: Transport) async throws {
    let fixture = try Fixture(
      TestHandler(), limits: Self.limits(3), persistence: .closesAfterEachAnswer, over: transport)
    let open = try await three(fixture) { stream in
      let answer = try await ask(stream)
      #expect(answer == [200])
    }
    for _ in 1...3 { #expect(try await statuses(fixture.exchange(Self.get)) == [200]) }
    for stream in open { stream.close() }
    await fixture.waitUntilNobodyIsConnected()
  }

  enum Answer: CaseIterable {
    case later, parked, stream
  }

  @Test(arguments: Answer.allCases)
  func whoIsBeingAnsweredKeepsItsPlace(_ kind: Answer) async throws {
    let (released, handler) = (Signal(), TestHandler())
    handler.respond = { request in
      if kind == .stream { return HTTPResponse(200, stream: HTTPBodyStream()) }
      await released.wait()
      return HTTPResponse(200, text: "[]")
    }
    let parking = ParkedAnswerTests.Handler()
    let fixture = try Fixture(kind == .parked ? parking : handler, limits: Self.limits(3))
    let open = try await three(fixture) { stream in
      try await stream.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
      if kind == .stream { _ = try await stream.read(through: "\r\n\r\n") }
      while kind == .later && handler.requests.isEmpty { await Task.yield() }
    }
    while kind == .later && handler.requests.count < 3 { await Task.yield() }
    while kind == .parked && parking.parked.count < 3 { await Task.yield() }
    for _ in 1...3 {
      let refused = try await fixture.exchange(Self.get)
      #expect(statuses(refused) == [429])
    }
    await fixture.waitUntilConnected(3)
    released.fire()
    for stream in open { stream.close() }
  }

  @Test func aMomentIsEverybodys() async throws {
    let fixture = try Fixture(TestHandler(), limits: Self.limits(3, grace: .seconds(600)))
    let open = try await three(fixture)
    #expect(try await statuses(fixture.exchange(Self.get)) == [429])
    for stream in open { #expect(try await ask(stream) == [200]) }
    #expect(try await statuses(fixture.exchange(Self.get)) == [429])
    fixture.server.limits.placeGrace = .zero
    #expect(try await statuses(fixture.exchange(Self.get)) == [200])
    for stream in open { stream.close() }
  }

  /// Where there may be fewer than there are, nobody gives way in vain.
  @Test func nobodyGivesWayToOneWhoHasNoPlaceAllTheSame() async throws {
    let fixture = try Fixture(TestHandler(), limits: Self.limits(3))
    let open = try await three(fixture)
    fixture.server.limits.connections = 2
    #expect(try await statuses(fixture.exchange(Self.get)) == [429])
    for stream in open { #expect(try await ask(stream) == [200]) }
    for stream in open { stream.close() }
  }

  // MARK: Strangers

  /// Serves nobody until it is told otherwise, and counts how often it is asked.
  private func guarded() -> (handler: TestHandler, strange: Box<Bool>, asked: Box<Int>) {
    let (handler, strange, asked) = (TestHandler(), Box(true), Box(0))
    handler.admission = { _ in
      asked.value += 1
      return strange.value ? .stranger : .served
    }
    return (handler, strange, asked)
  }

  @LoopActor final class Box<Value: Sendable> {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  @Test(arguments: Transport.allCases)
  func strangersHaveNoneOfThePlaces(_ transport: Transport) async throws {
    let (handler, strange, asked) = guarded()
    var limits = Self.limits(1, grace: .seconds(600))
    limits.strangers = 3
    let fixture = try Fixture(handler, limits: limits, over: transport)
    var strangers = try await three(fixture)
    for number in 4...20 {
      let stream = try await fixture.connect()
      strangers.append(stream)
      // The one that has waited the longest has gone for it.
      #expect(try await strangers[number - 4].readToEnd() == "")
      while asked.value < number { await Task.yield() }
      #expect(fixture.server.connectionCount == 3)
    }
    strange.value = false
    let served = try await fixture.connect()
    #expect(try await ask(served) == [200])
    #expect(try await ask(served) == [200])
    // It is remembered whose a connection is, and each has been asked about once.
    for stream in strangers.suffix(3) {
      try await stream.write(Self.get)
      #expect(try await statuses(stream.read(through: "\r\n\r\n")) == [403])
      stream.close()
    }
    #expect(asked.value == 21)
    #expect(handler.requests.count == 2)
    served.close()
    await fixture.waitUntilNobodyIsConnected()
  }

  /// What all share is for those who are served.
  @Test func aStrangerHoldsNoMoreThanItsOwnRoom() async throws {
    let (handler, _, _) = guarded()
    let fixture = try Fixture(handler)
    let stream = try await fixture.connect()
    let room = fixture.server.limits.ownBytes
    try await stream.write("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: room))
    #expect(try await statuses(stream.readToEnd()) == [429])
    stream.close()
  }

  @Test func whoIsRefusedAtOnceHasAStrangersPlace() async throws {
    let handler = TestHandler()
    let isRefused = Box(true)
    handler.admission = { _ in isRefused.value ? .refused(HTTPResponse(403)) : .served }
    let fixture = try Fixture(handler, limits: Self.limits(1, grace: .seconds(600)))
    let told = try await three(fixture) { stream in
      let answer = try await statuses(stream.readToEnd())
      #expect(answer == [403])
    }
    isRefused.value = false
    #expect(try await statuses(fixture.exchange(Self.get)) == [200])
    for stream in told { stream.close() }
  }
}
