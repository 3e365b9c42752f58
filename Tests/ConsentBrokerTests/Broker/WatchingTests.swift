import Callback
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct WatchingTests {
  @Test func aDecisionIsFoundWithoutAnyReturn() async throws {
    // C-020, C-024: nobody calls the callback.
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller) { fixture.node.approve("rq-1") }
    let seen = try await fixture.wait(caller, from: view.etag, for: .seconds(60))
    #expect(seen?.state == .approved)
    // The first look already has found it.
    #expect(fixture.node.reads(of: "rq-1") == 1)
  }

  @Test func aNodeThatAsksForAPauseGetsIt() async throws {
    // C-114
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.node.busyFor = 4
    let view = try await fixture.start(caller)
    let began = BootInstant.now
    while fixture.node.reads(of: "rq-1") == 0 {
      try await LoopActor.sleep(for: .milliseconds(10))
    }
    fixture.node.approve("rq-1")
    fixture.node.busyFor = nil
    // Somebody waits, and new tokens come: both would have it read at once.
    _ = try await fixture.broker.replaceTokens(
      of: caller, with: SessionTokens(accessToken: "new"))
    let seen = try await fixture.end(caller, from: view.etag, within: .seconds(60))
    #expect(seen?.state == .approved)
    #expect(fixture.node.reads(of: "rq-1") == 2)
    #expect(BootInstant.now - began >= .seconds(4))
  }

  @Test func aReturnIsReadAllTheSame() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.node.busyFor = 1_000_000
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    while fixture.node.reads(of: "rq-1") == 0 {
      try await LoopActor.sleep(for: .milliseconds(10))
    }
    fixture.node.busyFor = nil
    fixture.node.approve("rq-1")
    #expect(await fixture.page(ticket, "request_id=rq-1") == .approved)
  }

  @Test func aRequestThatNobodyDecidesExpiresAfterOneLastRead() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.node.lifetime = 1.2
    let view = try await fixture.start(caller)
    let seen = try await fixture.wait(caller, from: view.etag, for: .seconds(60))
    #expect(seen?.state == .expired)
    #expect(fixture.node.reads(of: "rq-1") >= 1)
    #expect(
      await refusal { try await fixture.broker.open("rq-1", for: caller) } == "CONSENT_EXPIRED")
  }

  @Test func aDecisionInTheLastMomentCounts() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    // After the first read, before the last.
    try await LoopActor.until { fixture.node.reads(of: "rq-1") > 0 }
    fixture.node.approve("rq-1")
    request.deadline = .now
    fixture.broker.watcher.hurry(request)
    let seen = try await fixture.wait(caller, from: view.etag, for: .seconds(60))
    #expect(seen?.state == .approved)
  }

  @Test func goneBeforeItsTimeIsReplacedAndAfterItExpired() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller) { fixture.node.decide("rq-1", .gone) }
    #expect(try await fixture.wait(caller, from: view.etag, for: .seconds(60))?.state == .replaced)

    let (other, _) = try await fixture.openSession()
    fixture.node.lifetime = 0.9
    fixture.node.nextId = "rq-1"
    let short = try await fixture.start(other) { fixture.node.decide("rq-1", .gone) }
    #expect(try await fixture.wait(other, from: short.etag, for: .seconds(60))?.state == .expired)
  }

  @Test func anUnreachableNodeEndsNothing() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.node.lifetime = 1
    let view = try await fixture.start(caller) { fixture.node.isDown = true }
    let unread = try #require(await fixture.wait(caller, from: view.etag, for: .seconds(60)))
    #expect(unread.state == .started && unread.readFailure?.code == .nodeUnreachable)
    #expect(unread.detail == ConsentError.Code.nodeUnreachable.advice)
    // That is told once, however often it is read, and also when its time is over.
    #expect(try await fixture.wait(caller, from: unread.etag, for: .seconds(2)) == nil)
    try await LoopActor.until { fixture.node.reads(of: "rq-1") >= 2 }
    try await fixture.quiet()
    #expect(try await fixture.broker.get("rq-1", for: caller).etag == unread.etag)
    #expect(fixture.broker.status().nodesUnreachable == 1)
    fixture.node.approve("rq-1")
    fixture.node.isDown = false
    let seen = try await fixture.wait(caller, from: unread.etag, for: .seconds(60))
    #expect(seen?.state == .approved && seen?.readFailure == nil && seen?.detail == nil)
    #expect(fixture.broker.status().nodesReachable == 1)
  }

  @Test func anInvalidAnswerIsTheEndOnlyAtTheEnd() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller) {
      fixture.node.decide("rq-1", .broken(status: 200, body: #"{"status":"APPROVED"}"#))
    }
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    let unread = try #require(await fixture.wait(caller, from: view.etag, for: .seconds(60)))
    #expect(unread.state == .started && unread.readFailure?.code == .resultInvalid)
    request.deadline = .now
    fixture.broker.watcher.hurry(request)
    let seen = try await fixture.end(caller, from: view.etag, within: .seconds(60))
    #expect(seen?.state == .failed)
    #expect(seen?.failure == .resultInvalid)
  }

  @Test func aNewerRequestOfTheAccountHasTheOlderOneReadAtOnce() async throws {
    let fixture = try await BrokerFixture()
    let account = String(repeating: "a", count: 64)
    let (one, _) = try await fixture.openSession(account: account)
    let (two, _) = try await fixture.openSession(account: account.uppercased())
    let (stranger, _) = try await fixture.openSession(account: String(repeating: "b", count: 64))
    let older = try await fixture.start(one)
    _ = try await fixture.start(stranger)
    let (first, others) = (
      try #require(fixture.broker.live.of(requestId: "rq-1").first),
      try #require(fixture.broker.live.of(requestId: "rq-2").first)
    )
    let planned = others.timer.armedFor
    fixture.node.decide("rq-1", .gone)
    _ = try await fixture.start(two)
    // Planned for now, or being read already; the stranger's is as it was.
    #expect(first.timer.armedFor.map { $0 <= .now } ?? true)
    #expect(others.timer.armedFor == planned || fixture.node.reads(of: "rq-2") > 0)
    let seen = try await fixture.wait(one, from: older.etag, for: .seconds(60))
    #expect(seen?.state == .replaced)
  }

  /// What seems to have changed is read at once, and what seems so again and again once a second.
  @Test func newTokensAgainAndAgainDoNotReadARequestAgainAndAgain() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    let began = BootInstant.now
    for number in 1...200 {
      _ = try await fixture.broker.replaceTokens(
        of: caller, with: SessionTokens(accessToken: "new-\(number)"))
      if number == 1 { try await LoopActor.until { fixture.node.reads(of: "rq-1") > 0 } }
      // What is read for them has been read.
      try await fixture.quiet()
    }
    // Once for the tokens and once by its own plan.
    let most = 2 + 2 * Int((BootInstant.now - began) / .seconds(0.9))
    #expect(fixture.node.reads(of: "rq-1") <= most)
  }

  /// While a node does not answer, nothing piles up, and what has changed meanwhile is read then.
  @Test func oneLookAtATimeWaitsForANode() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    fixture.node.holdCalls()
    await fixture.node.arrival()
    for _ in 1...100 {
      fixture.broker.watcher.hurry(request)
      // Nothing is planned besides the look that waits.
      #expect(!request.timer.isArmed)
    }
    fixture.node.release()
    try await LoopActor.until { !request.isWatched || fixture.node.reads(of: "rq-1") > 1 }
    // Planned for now, or being read already: its own plan is a second off.
    #expect(
      fixture.node.reads(of: "rq-1") > 1 || request.timer.armedFor.map { $0 <= .now } ?? false)
    try await LoopActor.until { fixture.node.reads(of: "rq-1") > 1 }
  }

  /// A read that waits for a node is not little, and a session may have many requests.
  @Test func aSilentNodeHoldsFewReadsOfASession() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    for _ in 1...20 { _ = try await fixture.start(caller) }
    // What was being read until here is answered.
    fixture.node.holdCalls()
    let waiting = try #require(fixture.broker.live.all.first?.session)
    try await LoopActor.until { waiting.turns.underWay + waiting.turns.inLine == 20 }
    let most = NodeTurns.Limits.watched(NodeTurns.Limits.ofASession)
    // A look has its place a moment before it reads.
    try await fixture.node.arrivals(most)
    await LoopActor.drain()
    #expect(fixture.broker.readsUnderWay == most)
    // What has ended waits for no turn.
    let last = try #require(fixture.broker.live.all.last { $0.turn.isWaiting })
    _ = try await fixture.broker.cancel(last.row.requestId, for: caller)
    #expect(!last.turn.isWaiting)
    for number in 1...20 { fixture.node.approve("rq-\(number)") }
    fixture.node.release()
    // A verdict is told before its look has ended.
    while fixture.finished.count < 20 || waiting.turns.underWay > 0 {
      try await LoopActor.sleep(for: .milliseconds(10))
    }
    #expect(!waiting.turns.isWaiting)
  }

  /// Each start has the one before it read, and not all that there are.
  @Test func startsOneAfterAnotherReadNoRequestAgainAndAgain() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let began = BootInstant.now
    for _ in 1...40 {
      // None is spared because it was read for a start of the same second.
      for request in fixture.broker.live.all { request.hurriedAt = nil }
      _ = try await fixture.start(caller)
    }
    try await fixture.quiet()
    let turns = 1 + Int((BootInstant.now - began) / .seconds(0.9))
    let reads = fixture.node.calls.count { $0.hasPrefix("GET") }
    #expect(reads <= 40 * turns + 40)
  }

  @Test func theAccountIsTheTokensSubjectWhereNoneIsGiven() async throws {
    let fixture = try await BrokerFixture()
    // {"alg":"none"}.{"sub":"account-1"}.
    let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY2NvdW50LTEifQ.c2ln"
    let (one, _) = try await fixture.openSession(accessToken: token)
    #expect(try fixture.broker.session(of: one).account == "account-1")
    let (two, _) = try await fixture.openSession(accessToken: "opaque.token")
    #expect(try fixture.broker.session(of: two).account == nil)
  }

  @Test func settingTheClockEndsNothing() async throws {
    // C-123: two hours forward, then back.
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    var view = try await fixture.start(caller)
    for seconds in [7200.0, -7200.0] {
      fixture.wallClock.seconds = seconds
      fixture.broker.clockWasSet()
      // Who waits hears when it ends by the clock of now.
      let now = try #require(await fixture.wait(caller, from: view.etag, for: .seconds(60)))
      #expect(now.state == .started)
      // It is told by the clock as it is now, and kept so for a restart.
      let left = try #require(now.expiresAt).timeIntervalSinceNow - seconds
      #expect(left > 200 && left < 301)
      try await LoopActor.until {
        try await fixture.row("rq-1", caller)?.expiresAt == now.expiresAt
      }
      view = now
    }
    // By little, that is no news.
    fixture.wallClock.seconds += 0.4
    fixture.broker.clockWasSet()
    #expect(try await fixture.wait(caller, from: view.etag, for: .milliseconds(300)) == nil)
    // Once for each time that it was set.
    while fixture.node.reads(of: "rq-1") < 2 {
      try await LoopActor.sleep(for: .milliseconds(10))
    }
  }

  @Test func whatARestartReadFromADateIsComputedAnew() async throws {
    let fixture = try await BrokerFixture()
    let (_, key) = try await fixture.openSession()
    let caller = try fixture.broker.authenticate(key: key)
    _ = try await fixture.start(caller)
    // The clock was an hour slow when the daemon started again: the request seems to live long.
    fixture.wallClock.seconds = -3600
    try await fixture.restart()
    let again = try fixture.broker.authenticate(key: key)
    _ = try await fixture.broker.replaceTokens(
      of: again, with: SessionTokens(accessToken: "new", refreshToken: nil))
    let view = try await fixture.broker.get("rq-1", for: again)
    fixture.wallClock.seconds = 400
    fixture.broker.clockWasSet()
    #expect(try await fixture.wait(again, from: view.etag, for: .seconds(60))?.state == .expired)
  }
}

@Suite struct WatchScheduleTests {
  private func pauses(
    _ count: Int, age: Duration = .zero, isAwaited: Bool = false, isOver: Bool = false
  ) -> [Double] {
    var schedule = WatchSchedule()
    return (1...count).map { _ in
      schedule.next(age: age, isAwaited: isAwaited, isOver: isOver, chance: 0) / .seconds(1)
    }
  }

  @Test func growsFromOneSecondByHalfToItsCeiling() {
    #expect(pauses(6) == [1, 1.5, 2.25, 3.375, 5, 5])
    #expect(pauses(6, age: .minutes(10), isAwaited: true).last == 5)
    #expect(pauses(9, age: .minutes(2)).last == 15)
    #expect(pauses(20, age: .hours(1), isOver: true).last == 60)
  }

  @Test func shrinksAtOnceWhenSomebodyWaits() {
    var schedule = WatchSchedule()
    for _ in 1...9 { _ = schedule.next(age: .hours(1), isAwaited: false, isOver: false, chance: 0) }
    let pause = schedule.next(age: .hours(1), isAwaited: true, isOver: false, chance: 0)
    #expect(pause == WatchSchedule.attentive)
  }

  @Test func chanceShortensByATenthAtMost() {
    var schedule = WatchSchedule()
    #expect(schedule.next(age: .zero, isAwaited: false, isOver: false, chance: 1) == .seconds(0.9))
  }
}
