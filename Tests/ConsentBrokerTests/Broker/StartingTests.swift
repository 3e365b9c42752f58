import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct StartingTests {
  @Test func aStartedRequestIsDurableBeforeItIsAnswered() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    #expect(view.state == .started)
    #expect(view.code == "7QF2-XK")
    #expect(view.url == "https://node.example/consent/rq-1")
    #expect(view.callback?.hasPrefix("http://127.0.0.1:17463/return/") == true)
    let row = try #require(try await fixture.row("rq-1", caller))
    #expect(row.state == .started)
    #expect(try fixture.ticket(of: view) == row.ticket)
    #expect(row.ticket.utf8.count == 32)
    #expect(try await fixture.events(caller).map(\.state) == [.started])
  }

  @Test func theRowIsThereBeforeTheNodeIsAsked() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.node.holdCalls()
    let start = Task { try await fixture.start(caller) }
    await fixture.node.arrival()
    let rows = try await fixture.ledger.undecided()
    #expect(rows.map(\.state) == [.starting])
    // While the node is being asked, nothing is wrong.
    let shown = try await fixture.broker.get(rows[0].requestId, for: caller)
    #expect(shown.state == .starting)
    #expect(shown.detail == nil)
    fixture.node.release()
    _ = try await start.value
    #expect(try await fixture.ledger.undecided().map(\.state) == [.started])
  }

  @Test func aCrashWhileTheNodeIsAskedStaysVisible() async throws {
    let fixture = try await BrokerFixture()
    let (caller, key) = try await fixture.openSession()
    fixture.node.holdCalls()
    let start = Task { try await fixture.start(caller, key: "k") }
    await fixture.node.arrival()
    // The record as the crash leaves it.
    let left = try await fixture.ledger.undecided()
    let copy = try await BrokerFixture()
    await copy.ledger.close()
    try FileManager.default.removeItem(atPath: copy.directory.path)
    try FileManager.default.copyItem(
      atPath: fixture.directory.path, toPath: copy.directory.path)
    try await copy.restart()
    let again = try copy.broker.authenticate(key: key)
    let listed = try await copy.broker.list(state: nil, limit: 9, before: nil, for: again).requests
    #expect(listed.map(\.requestId) == left.map(\.requestId))
    #expect(listed.first?.state == .starting)
    #expect(listed.first?.detail?.contains("Ask again") == true)
    // The same key asks anew, once somebody can.
    #expect(await refusal { try await copy.start(again, key: "k") } == "SESSION_EXPIRED")
    _ = try await copy.broker.replaceTokens(of: again, with: SessionTokens(accessToken: "a"))
    let view = try await copy.start(again, key: "k")
    #expect(view.state == .started && view.code != nil)
    #expect(copy.node.starts == 1)
    #expect(try await copy.ledger.undecided().map(\.number) == left.map(\.number))
    // The page leads to the callback that the row had from the beginning.
    #expect(try copy.ticket(of: view) == left.first?.ticket)
    #expect(try await copy.start(again, key: "k").requestId == view.requestId)
    #expect(copy.node.starts == 1)
    fixture.node.release()
    _ = try await start.value
  }

  /// Who has left holds nothing of the daemon's, however long the node takes.
  @Test func aClientThatLeavesIsGoneAtOnceAndItsStartGoesOn() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.node.holdCalls()
    let calls = (1...3).map { _ in
      Task.immediate {
        await refusal {
          try await fixture.broker.start(
            .createOrg(name: "Acme"), open: true, idempotencyKey: "k", for: caller)
        }
      }
    }
    await fixture.node.arrival()
    for call in calls { call.cancel() }
    for call in calls { #expect(await call.value == "stopping") }
    #expect(fixture.broker.startsUnderWay == 1)
    fixture.node.release()
    while fixture.opened.isEmpty { try await LoopActor.sleep(for: .milliseconds(1)) }
    #expect(try await fixture.start(caller, key: "k").requestId == "rq-1")
    #expect(fixture.node.starts == 1)
    #expect(fixture.opened.count == 1)
  }

  @Test func aStartThatTheNodeRefusesLeavesNothing() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.node.isDown = true
    #expect(await refusal { try await fixture.start(caller, key: "k") } == "NODE_UNREACHABLE")
    #expect(try await fixture.ledger.undecided() == [])
    fixture.node.isDown = false
    #expect(try await fixture.start(caller, key: "k").state == .started)
  }

  @Test func whatCannotBeSentIsRefused() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    #expect(
      await refusal { try await fixture.start(caller, name: "") } == "CONSENT_REQUEST_INVALID")
    #expect(fixture.node.calls == [])
    #expect(try await fixture.ledger.undecided() == [])
  }

  @Test func anIdempotencyKeyAsksOnce() async throws {
    let fixture = try await BrokerFixture()
    let (caller, key) = try await fixture.openSession()
    fixture.node.holdCalls()
    let starts = (1...5).map { _ in Task { try await fixture.start(caller, key: "k") } }
    await fixture.node.arrival()
    fixture.node.release()
    for start in starts {
      let id = try await start.value.requestId
      #expect(id == "rq-1")
    }
    #expect(try await fixture.start(caller, key: "k").requestId == "rq-1")
    #expect(fixture.node.starts == 1)
    #expect(
      await refusal { try await fixture.start(caller, name: "Other", key: "k") }
        == "idempotencyKeyReused")
    try await fixture.restart()
    let again = try fixture.broker.authenticate(key: key)
    #expect(try await fixture.start(again, key: "k").requestId == "rq-1")
    #expect(
      await refusal { try await fixture.start(again, name: "Other", key: "k") }
        == "idempotencyKeyReused")
    #expect(fixture.node.starts == 1)
  }

  @Test(arguments: [(0, true), (1, false), (255, false), (256, true)])
  func anIdempotencyKeyHasALength(_ length: Int, _ isRefused: Bool) async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let key = String(repeating: "k", count: length)
    let met = await refusal { try await fixture.start(caller, key: key) }
    #expect(met == (isRefused ? "invalid Idempotency-Key" : nil))
  }

  @Test func theCallbackIsTheReturnWhereNobodyNamesOne() async throws {
    let fixture = try await BrokerFixture()
    let (bare, _) = try await fixture.openSession()
    let view = try await fixture.start(bare)
    let callback = try #require(view.callback)
    #expect(
      fixture.node.lastBody.contains(callback.replacing("/", with: "\\/"))
        || fixture.node.lastBody.contains(callback))
    let (named, _) = try await fixture.openSession(
      origins: ["https://notes.example"], returnTo: "https://notes.example/1.2.0/")
    _ = try await fixture.start(named)
    #expect(fixture.node.lastBody.contains("notes.example"))
    let (origins, _) = try await fixture.openSession(origins: ["https://notes.example"])
    _ = try await fixture.start(origins)
    #expect(!fixture.node.lastBody.contains("returnTo"))
  }

  @Test func thePageOpensAfterTheRowAndOnlyOnce() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let first = try await fixture.broker.start(
      .createOrg(name: "Acme"), open: true, idempotencyKey: "k", for: caller)
    #expect(first.page == .opening(.opened))
    let repeated = try await fixture.broker.start(
      .createOrg(name: "Acme"), open: true, idempotencyKey: "k", for: caller)
    #expect(repeated.page == nil)
    #expect(fixture.opened == ["https://node.example/consent/rq-1"])
    #expect(try await fixture.broker.open("rq-1", for: caller).page == .opening(.opened))
    #expect(fixture.opened.count == 2)
    fixture.hasBrowser = false
    #expect(
      await refusal { try await fixture.broker.open("rq-1", for: caller) } == "BROWSER_UNAVAILABLE")
    let other = try await fixture.broker.start(
      .createOrg(name: "Other"), open: true, idempotencyKey: nil, for: caller)
    #expect(other.page == .unavailable(.noBrowser))
    #expect(other.view.state == .started)
  }

  @Test func aRequestThatTheAppStartedIsRecordedOnce() async throws {
    let fixture = try await BrokerFixture()
    // The node does not know it.
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    let started = ConsentStarted(
      requestId: "own-1", url: "https://node.example/consent/own-1", code: "ABCD-EF",
      expiresAt: Date().addingTimeInterval(300), kind: .createOrg)
    let first = try await fixture.broker.record(
      started, open: false, idempotencyKey: nil, for: caller)
    #expect(!first.repeated)
    let second = try await fixture.broker.record(
      started, open: false, idempotencyKey: nil, for: caller)
    #expect(second.repeated)
    #expect(second.view.callback == first.view.callback)
    #expect(second.view.etag == first.view.etag)
    #expect(try await fixture.events(caller).count == 1)
    let foreign = ConsentStarted(
      requestId: "own-2", url: "https://evil.example/consent/own-2", code: "ABCD-EF",
      expiresAt: Date().addingTimeInterval(300), kind: .createOrg)
    #expect(
      await refusal {
        try await fixture.broker.record(foreign, open: false, idempotencyKey: nil, for: caller)
      } == "CONSENT_PAGE_NOT_TRUSTED")
  }

  @Test func aLongLifetimeIsCutAndSaysSo() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.node.lifetime = 86_400 * 2
    let view = try await fixture.start(caller)
    #expect(view.lifetimeCut)
    let left = try #require(view.expiresAt).timeIntervalSinceNow
    #expect(left > 86_000 && left <= 86_400)
    #expect(try await fixture.row("rq-1", caller)?.lifetimeCut == true)
  }

  @Test(arguments: [-600.0, 600.0])
  func theNodesClockSaysHowLongARequestLives(_ skew: TimeInterval) async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    fixture.node.clockSkew = skew
    let view = try await fixture.start(caller)
    let left = try #require(view.expiresAt).timeIntervalSinceNow
    #expect(left > 200 && left < 301)
  }

  @Test func aSessionHasOnlySoManyOpenRequests() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    for _ in 1...BrokerLimits.openRequests { _ = try await fixture.start(caller) }
    #expect(await refusal { try await fixture.start(caller) } == "tooMany openRequests")
    _ = try await fixture.broker.cancel("rq-1", for: caller)
    #expect(await refusal { try await fixture.start(caller) } == nil)
  }
}
