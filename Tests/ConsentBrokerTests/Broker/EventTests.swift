import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct EventTests {
  private func next(_ stream: EventSubscription, within time: Duration = .seconds(60)) async
    -> String
  {
    switch await stream.next(until: .now + time) {
    case .event(let event): "\(event.requestId) \(event.state.rawValue)"
    case .quiet: "quiet"
    case .sessionEnded: "sessionEnded"
    case .stopping: "stopping"
    }
  }

  @Test func aStreamTellsWhatHappensFromNowOn() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    let stream = try fixture.broker.events(after: nil, for: caller)
    #expect(await next(stream, within: .milliseconds(50)) == "quiet")
    _ = try await fixture.start(caller)
    _ = try await fixture.broker.cancel("rq-1", for: caller)
    #expect(await next(stream) == "rq-2 started")
    #expect(await next(stream) == "rq-1 cancelled")
    // Nothing of other sessions.
    let (other, _) = try await fixture.openSession()
    _ = try await fixture.start(other)
    #expect(await next(stream, within: .milliseconds(50)) == "quiet")
  }

  @Test func whatWasMissedIsReplayedAlsoAfterARestart() async throws {
    let fixture = try await BrokerFixture()
    let (_, key) = try await fixture.openSession()
    var caller = try fixture.broker.authenticate(key: key)
    let count = EventHub.kept * 2 + 10
    for _ in 1...count {
      let view = try await fixture.start(caller)
      _ = try await fixture.broker.cancel(view.requestId, for: caller)
    }
    let all = try await fixture.events(caller)
    #expect(all.count == count * 2)
    func replayed(after: Int64?) async throws -> [BrokerEvent] {
      let stream = try fixture.broker.events(after: after, for: caller)
      var found: [BrokerEvent] = []
      while case .event(let event) = await stream.next(until: .now + .milliseconds(50)) {
        found.append(event)
      }
      return found
    }
    #expect(try await replayed(after: 0) == all)
    #expect(try await replayed(after: all[70].sequence) == Array(all[71...]))
    #expect(try await replayed(after: .max) == [])
    try await fixture.restart()
    caller = try fixture.broker.authenticate(key: key)
    #expect(try await replayed(after: all[70].sequence) == Array(all[71...]))
    #expect(try await replayed(after: nil) == [])
  }

  @Test func aSlowReaderMissesNothing() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let stream = try fixture.broker.events(after: nil, for: caller)
    let count = EventHub.kept + 20
    for _ in 1...count {
      let view = try await fixture.start(caller)
      _ = try await fixture.broker.cancel(view.requestId, for: caller)
    }
    var last: Int64 = 0
    for _ in 1...(count * 2) {
      guard case .event(let event) = await stream.next(until: .now + .seconds(60)) else {
        Issue.record("missing")
        return
      }
      #expect(event.sequence > last)
      last = event.sequence
    }
    #expect(await next(stream, within: .milliseconds(50)) == "quiet")
  }

  @Test func aClosedSessionTellsItsEndAndNothingAfter() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    let stream = try fixture.broker.events(after: nil, for: caller)
    try await fixture.broker.closeSession(of: caller)
    #expect(await next(stream) == "rq-1 cancelled")
    #expect(await next(stream) == "sessionEnded")
  }

  @Test func aStopIsTold() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let stream = try fixture.broker.events(after: nil, for: caller)
    let told = Task.immediate { await next(stream) }
    fixture.broker.stop()
    #expect(await told.value == "stopping")
  }

  @Test func allSessionsTogetherHaveOnlySoManyStreams() async throws {
    let fixture = try await BrokerFixture()
    var streams: [EventSubscription] = []
    for _ in 1...(BrokerLimits.allEventStreams / BrokerLimits.eventStreams) {
      let (caller, _) = try await fixture.openSession()
      for _ in 1...BrokerLimits.eventStreams {
        streams.append(try fixture.broker.events(after: nil, for: caller))
      }
    }
    let (another, _) = try await fixture.openSession()
    #expect(
      await refusal { try fixture.broker.events(after: nil, for: another) }
        == "tooMany eventStreams")
    streams.removeLast().end()
    #expect(await refusal { try fixture.broker.events(after: nil, for: another) } == nil)
  }

  @Test func streamsAreCountedAndFreed() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    var streams = try (1...BrokerLimits.eventStreams).map { _ in
      try fixture.broker.events(after: nil, for: caller)
    }
    #expect(
      await refusal { try fixture.broker.events(after: nil, for: caller) }
        == "tooMany eventStreams")
    streams[0].end()
    streams[0].end()
    #expect(fixture.broker.status().eventStreams == BrokerLimits.eventStreams - 1)
    // A stream that nobody holds any more is over.
    streams = []
    #expect(fixture.broker.status().eventStreams == 0)
  }
}
