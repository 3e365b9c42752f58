import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

/// No entity tag names two contents.
@LoopActor @Suite(.aFewAtATime) struct VersionTagTests {
  /// Told, changed, and told again by a process that knows of the change alone.
  @Test func notAfterACrashOnAFullDisk() async throws {
    let fixture = try await BrokerFixture(keepsNotes: true)
    let (caller, key) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.watchNothing()
    try await fixture.ledger.refuseApprovals()
    fixture.node.approve("rq-1")
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    _ = await fixture.broker.look(at: request)
    let first = try await fixture.broker.get("rq-1", for: caller)
    #expect(first.state == .approved && !first.isRecorded && first.lastReturn == nil)
    _ = try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller)
    let second = try await fixture.broker.get("rq-1", for: caller)
    #expect(second.lastReturn?.code == "OK" && second.etag != first.etag)
    try await fixture.replaceKilled()
    let again = try fixture.broker.authenticate(key: key)
    let third = try await fixture.broker.get("rq-1", for: again)
    #expect(third.lastReturn?.code == "OK" && third.etag != first.etag)
    // It says why it waits, which is another reason now, or is recorded.
    #expect(third.detail != second.detail && third.etag != second.etag)
  }

  /// Whatever of a view changes that its record's version does not count.
  @Test func eachFieldCounts() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let at = Date(timeIntervalSince1970: 1_800_000_000)
    let changes: [(inout RequestView) -> Void] = [
      { $0.expiresAt = at }, { $0.expiresAt = nil }, { $0.lifetimeCut = true },
      { $0.callback = nil }, { $0.callback = "http://127.0.0.1:1/return/x" },
      { $0.outcome = .orgCreated(orgId: "o") }, { $0.detail = "Because." },
      { $0.isRecorded = false }, { $0.needsSession = true },
      { $0.readFailure = ReadFailure(code: .nodeError, since: at, advice: "") },
      { $0.readFailure = ReadFailure(code: .nodeUnreachable, since: at, advice: "") },
      { $0.readFailure = ReadFailure(code: .nodeError, since: at + 1, advice: "") },
    ]
    var tags: Set = [view.etag]
    for change in changes {
      var other = view
      change(&other)
      tags.insert(other.etag)
    }
    #expect(tags.count == changes.count + 1)
    #expect(view.etag.wholeMatch(of: /"[0-9]+\.[0-9]+\.[0-9a-f]{16}"/) != nil)
  }

  /// A long outcome is read only for those who do not have it, who are known by its tag.
  @Test func aLongOutcomeHasOneTagWhetherItIsReadOrNot() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.broker.start(
      .deleteOrg(org: "o"), open: false, idempotencyKey: nil, for: caller)
    let apps = (1...9000).map { #""com.example.app\#($0)""# }.joined(separator: ",")
    fixture.node.decide(
      "rq-1", .approved(outcome: #"{"kind":"orgDeleted","apps":[\#(apps)]}"#))
    _ = try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller)
    let short = try await fixture.broker.get("rq-1", withLongOutcome: false, for: caller)
    let long = try await fixture.broker.get("rq-1", for: caller)
    #expect(short.longOutcome?.isLeftOut == true && long.longOutcome?.isLeftOut == false)
    #expect(short.etag == long.etag)
  }

  /// The wall clock was off when its app handed the request over; the node tells the time.
  @Test func whoWaitsIsToldWhenTheEndIsPutRight() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    fixture.node.tellsTime = true
    fixture.node.clockSkew = 3600
    fixture.node.decide("rq-1", .pending)
    let (caller, _) = try await fixture.openSession()
    let started = ConsentStarted(
      requestId: "rq-1", url: "\(TestNode.origin)/consent/rq-1", code: "7QF2-XK",
      expiresAt: Date() + 4200, kind: .createOrg)
    let view = try await fixture.broker.record(
      started, open: false, idempotencyKey: nil, for: caller
    ).view
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    let waiting = Task.immediate {
      try await fixture.wait(caller, from: view.etag, for: .seconds(60))
    }
    _ = await fixture.broker.look(at: request)
    let told = try #require(await waiting.value)
    #expect(told.state == .started && told.etag != view.etag)
    #expect(abs(try #require(told.expiresAt).timeIntervalSinceNow - 600) < 60)
  }

  /// What is in the way of a verdict may be something else after the next try.
  @Test func whoWaitsIsToldWhyNow() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    try await fixture.ledger.refuseApprovals()
    fixture.node.approve("rq-1")
    let request = try #require(fixture.broker.live.of(requestId: "rq-1").first)
    _ = await fixture.broker.look(at: request)
    let first = try await fixture.broker.get("rq-1", for: caller)
    #expect(first.state == .started && !first.isRecorded && first.etag != view.etag)
    let waiting = Task.immediate {
      try await fixture.wait(caller, from: first.etag, for: .seconds(60))
    }
    // It has looked, and waits.
    await LoopActor.drain()
    fixture.broker.recordIsUnwritable(.readOnly("mounted so"))
    _ = fixture.broker.postpone(request, because: ConsentError(.stateUnavailable))
    let second = try #require(await waiting.value)
    #expect(second.detail?.contains("mounted so") == true && second.etag != first.etag)
  }

  /// An approved invite whose token memory has lost, as its app finds it after a restart.
  private func lostInvite(
    _ fixture: BrokerFixture, _ state: TestNode.State
  ) async throws -> Caller {
    fixture.watchNothing()
    let (before, key) = try await fixture.openSession()
    _ = try await fixture.broker.start(
      .createInvite(org: "o"), open: false, idempotencyKey: nil, for: before)
    fixture.node.decide("rq-1", Self.invited())
    _ = try await fixture.broker.confirm("rq-1", returned: "a:b", for: before)
    try await fixture.restart()
    let caller = try fixture.broker.authenticate(key: key)
    fixture.node.decide("rq-1", state)
    _ = try await fixture.broker.replaceTokens(of: caller, with: SessionTokens(accessToken: "new"))
    return caller
  }

  private static func invited(_ token: String = "invite-token-secret") -> TestNode.State {
    .approved(outcome: #"{"kind":"inviteCreated","token":"\#(token)"}"#)
  }

  /// The next try may fail otherwise, or the same way: only that is no news.
  @Test func anOutcomeThatCannotBeReadAgainIsToldOnce() async throws {
    let fixture = try await BrokerFixture()
    let caller = try await lostInvite(fixture, .broken(status: 500, body: ""))
    let first = try await fixture.broker.get("rq-1", for: caller)
    #expect(first.detail?.contains("could not be read again") == true)
    // Whoever waits reads it once more, and hears nothing where that fails for the same reason.
    let reads = fixture.node.reads(of: "rq-1")
    let waiting = Task.immediate {
      try await fixture.wait(caller, from: first.etag, for: .seconds(60))
    }
    fixture.node.decide("rq-1", .broken(status: 502, body: "busy"))
    try await LoopActor.until { fixture.node.reads(of: "rq-1") > reads }
    await LoopActor.drain()
    #expect(try await fixture.broker.get("rq-1", for: caller).etag == first.etag)
    #expect(fixture.broker.status().waits == 1)
    // Another app's look tells everybody of another reason.
    fixture.node.decide("rq-1", .broken(status: 200, body: "{}"))
    let second = try await fixture.broker.get("rq-1", for: caller)
    #expect(second.detail != first.detail && second.etag != first.etag)
    #expect(try await waiting.value?.etag == second.etag)
  }

  /// Nobody else asks for it.
  @Test func whoWaitsForALostOutcomeHasItReadAgain() async throws {
    let fixture = try await BrokerFixture()
    let caller = try await lostInvite(fixture, .broken(status: 500, body: ""))
    let first = try await fixture.broker.get("rq-1", for: caller)
    let reads = fixture.node.reads(of: "rq-1")
    let waiting = Task.immediate {
      try await fixture.wait(caller, from: first.etag, for: .seconds(60))
    }
    try await LoopActor.until { fixture.node.reads(of: "rq-1") > reads + 1 }
    fixture.node.decide("rq-1", Self.invited())
    #expect(try await waiting.value?.outcome == .inviteCreated(token: "invite-token-secret"))
  }

  /// Not as fast as it fails for two reasons in turn, and not before the time that it named.
  @Test func aLostOutcomeIsNotAskedForWithoutAPause() async throws {
    let fixture = try await BrokerFixture()
    let caller = try await lostInvite(fixture, .broken(status: 500, body: ""))
    func look() async throws -> String { try await fixture.broker.get("rq-1", for: caller).etag }
    _ = try await look()
    fixture.node.decide("rq-1", .broken(status: 200, body: "{}"))
    let other = try await look()
    let reads = fixture.node.reads(of: "rq-1")
    fixture.node.decide("rq-1", .broken(status: 500, body: ""))
    #expect(try await look() == other)
    #expect(fixture.node.reads(of: "rq-1") == reads)
    try await LoopActor.until { try await look() != other }
    fixture.node.busyFor = 600
    _ = try await look()
    try await LoopActor.until {
      _ = try await look()
      let all = fixture.node.reads(of: "rq-1")
      _ = try await look()
      return fixture.node.reads(of: "rq-1") == all
    }
    fixture.node.busyFor = nil
    let all = fixture.node.reads(of: "rq-1")
    for _ in 1...5 { _ = try await look() }
    #expect(fixture.node.reads(of: "rq-1") == all)
  }

  /// A token is not recorded: that it is another one is no change of the record.
  @Test func anotherTokenHasAnotherTag() async throws {
    let fixture = try await BrokerFixture()
    let caller = try await lostInvite(fixture, Self.invited("another-token"))
    let view = try await fixture.broker.get("rq-1", for: caller)
    var other = view
    other.outcome = .inviteCreated(token: "invite-token-secret")
    #expect(view.outcome != nil && view.etag != other.etag)
  }

  /// The clock was ahead when it was decided, and the first node that tells the time says so.
  @Test func whoWaitsIsToldWhenADecisionsTimeIsPutRight() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    fixture.wallClock.seconds = 7200
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.node.approve("rq-1")
    let decided = try await fixture.broker.confirm("rq-1", returned: "a:b", for: caller)
    let waiting = Task.immediate {
      try await fixture.wait(caller, from: decided.etag, for: .seconds(60))
    }
    await LoopActor.drain()
    fixture.wallClock.seconds = 0
    await fixture.broker.housekeeping.removeOld(of: fixture.broker, at: Date())
    let told = try #require(await waiting.value)
    #expect(try #require(told.decidedAt) < Date() + 60 && told.etag != decided.etag)
  }

  /// One that was cut off by the disk is found in a list, and has a sentence from then on.
  @Test func whoWaitsForAStartIsToldThatItWasCutOff() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    fixture.node.holdAnswers()
    let starting = Task.immediate { await refusal { try await fixture.start(caller) } }
    await fixture.node.arrival()
    let list = try await fixture.broker.list(state: .starting, limit: 9, before: nil, for: caller)
    let name = try #require(list.requests.first?.requestId)
    let view = try await fixture.broker.get(name, for: caller)
    #expect(view.detail == nil)
    let waiting = Task.immediate {
      try await fixture.broker.wait(
        for: name, changedFrom: view.etag, until: .now + .seconds(60), for: caller)
    }
    try await fixture.ledger.refuseStarts()
    fixture.node.release()
    #expect(await starting.value == "STATE_UNAVAILABLE")
    guard case .changed(let told) = try await waiting.value else {
      Issue.record("nothing was told")
      return
    }
    #expect(told.state == .starting && told.detail != nil && told.etag != view.etag)
  }
}
