import Callback
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct SessionTests {
  @Test func aKeyOpensItsSessionAndNoOther() async throws {
    let fixture = try await BrokerFixture()
    let (caller, key) = try await fixture.openSession()
    #expect(key.utf8.count == 43)
    #expect(try fixture.broker.session(of: caller).session.hasPrefix("s_"))
    for wrong in [nil, "", "x", key + " ", key.uppercased() + "x", String(key.dropLast())] {
      let told = await refusal { try fixture.broker.authenticate(key: wrong) }
      #expect(told == (wrong == nil ? "unauthorized" : "no session"))
    }
  }

  @Test func anotherSessionsRequestDoesNotExist() async throws {
    let fixture = try await BrokerFixture()
    let (mine, _) = try await fixture.openSession()
    let (theirs, _) = try await fixture.openSession()
    _ = try await fixture.start(mine)
    let broker = fixture.broker
    #expect(await refusal { try await broker.get("rq-1", for: theirs) } == "notFound")
    #expect(await refusal { try await broker.cancel("rq-1", for: theirs) } == "notFound")
    #expect(await refusal { try await broker.open("rq-1", for: theirs) } == "notFound")
    #expect(
      await refusal {
        try await broker.wait(for: "rq-1", changedFrom: "", until: .now, for: theirs)
      } == "notFound")
    #expect(
      await refusal {
        try await broker.confirm("rq-1", returned: "a:b?request_id=rq-1", for: theirs)
      } == "notFound")
    #expect(
      await refusal {
        try await broker.list(state: nil, limit: 9, before: "rq-1", for: theirs)
      } == "invalid before")
    #expect(
      try await broker.list(state: nil, limit: 9, before: nil, for: theirs).requests.isEmpty)
    // Also when it is finished, and when both have one of the same id.
    fixture.node.nextId = "rq-1"
    _ = try await fixture.start(theirs)
    _ = try await broker.cancel("rq-1", for: mine)
    #expect(try await broker.get("rq-1", for: theirs).state == .started)
    #expect(try await broker.get("rq-1", for: mine).state == .cancelled)
  }

  @Test func closingCancelsWhatIsUndecided() async throws {
    let fixture = try await BrokerFixture()
    let (caller, key) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    try await fixture.broker.closeSession(of: caller)
    #expect(await refusal { try fixture.broker.authenticate(key: key) } == "no session")
    #expect(await refusal { try fixture.broker.session(of: caller) } == "no session")
    let row = try await fixture.row("rq-1", caller)
    #expect(row?.state == .cancelled)
    #expect(fixture.broker.isIdle)
    #expect(await fixture.page(ticket, "request_id=rq-1") == .cancelled)
    try await fixture.restart()
    #expect(await refusal { try fixture.broker.authenticate(key: key) } == "no session")
  }

  @Test func aLateAnswerToACancelledRequestIsDropped() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    fixture.node.approve("rq-1")
    fixture.node.holdAnswers()
    let page = Task { await fixture.page(ticket, "request_id=rq-1") }
    await fixture.node.arrival()
    #expect(try await fixture.broker.cancel("rq-1", for: caller).state == .cancelled)
    fixture.node.release()
    #expect(await page.value == .cancelled)
    try await fixture.quiet()
    #expect(try await fixture.row("rq-1", caller)?.state == .cancelled)
    #expect(try await fixture.broker.cancel("rq-1", for: caller).state == .cancelled)
    #expect(fixture.finished == ["createOrg cancelled"])
  }

  @Test func anUnusedSessionEndsAndABusyOneDoesNot() async throws {
    let fixture = try await BrokerFixture(sessionTimeout: .seconds(2))
    let (idle, key) = try await fixture.openSession()
    let (busy, _) = try await fixture.openSession()
    _ = try await fixture.start(busy)
    while (try? fixture.broker.session(of: idle)) != nil {
      try await LoopActor.sleep(for: .milliseconds(50))
    }
    #expect(await refusal { try fixture.broker.authenticate(key: key) } == "no session")
    try await LoopActor.sleep(for: .milliseconds(2400))
    #expect(try await fixture.broker.get("rq-1", for: busy).state == .started)
  }

  @Test func afterARestartTheKeyIsGoodAndNewTokensReviveEverything() async throws {
    let fixture = try await BrokerFixture()
    let (_, key) = try await fixture.openSession()
    var caller = try fixture.broker.authenticate(key: key)
    let started = try await fixture.start(caller)
    #expect(!started.needsSession)
    try await fixture.restart()
    caller = try fixture.broker.authenticate(key: key)
    let view = try await fixture.broker.get("rq-1", for: caller)
    #expect(view.state == .started)
    #expect(view.needsSession)
    #expect(view.etag != started.etag)
    #expect(view.callback == started.callback)
    #expect(try fixture.broker.session(of: caller).needsSession)
    #expect(await refusal { try await fixture.start(caller) } == "SESSION_EXPIRED")
    // A return cannot be confirmed now, and ends nothing.
    let ticket = try fixture.ticket(of: view)
    #expect(await fixture.page(ticket, "request_id=rq-1") == .notConfirmed)
    #expect(try await fixture.broker.get("rq-1", for: caller).lastReturn?.code == "SESSION_EXPIRED")
    #expect(fixture.node.reads(of: "rq-1") == 0)

    fixture.node.approve("rq-1")
    let before = try await fixture.broker.get("rq-1", for: caller)
    let wait = Task { try await fixture.wait(caller, from: before.etag, for: .seconds(60)) }
    try await LoopActor.until { fixture.broker.status().waits == 1 }
    let session = try await fixture.broker.replaceTokens(
      of: caller, with: SessionTokens(accessToken: "new-token", refreshToken: nil))
    #expect(!session.needsSession)
    _ = try await wait.value
    let revived = try await fixture.broker.get("rq-1", for: caller)
    if revived.state == .started {
      #expect(
        try await fixture.wait(caller, from: revived.etag, for: .seconds(60))?.state == .approved)
    }
    #expect(fixture.node.bearers.last == "new-token")
  }

  @Test func refusedTokensAreToldAndReplaced() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    fixture.node.tokensAreRefused = true
    let seen = try await fixture.wait(caller, from: view.etag, for: .seconds(60))
    #expect(seen?.state == .started)
    #expect(seen?.needsSession == true)
    // Nobody asks the node with dead tokens again and again.
    let calls = fixture.node.calls.count
    try await LoopActor.sleep(for: .milliseconds(1800))
    #expect(fixture.node.calls.count == calls)
    fixture.node.tokensAreRefused = false
    fixture.node.approve("rq-1")
    _ = try await fixture.broker.replaceTokens(
      of: caller, with: SessionTokens(accessToken: "new-token", refreshToken: nil))
    let etag = try #require(seen?.etag)
    var now = try await fixture.wait(caller, from: etag, for: .seconds(60))
    if now?.state == .started, let next = now?.etag {
      now = try await fixture.wait(caller, from: next, for: .seconds(60))
    }
    #expect(now?.state == .approved)
  }

  @Test func aRefusalOfOldTokensSaysNothingOfNewOnes() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    fixture.node.tokensAreRefused = true
    fixture.node.holdAnswers()
    let page = Task { await fixture.page(ticket, "request_id=rq-1") }
    await fixture.node.arrival()
    fixture.node.tokensAreRefused = false
    let session = try await fixture.broker.replaceTokens(
      of: caller, with: SessionTokens(accessToken: "new-token", refreshToken: nil))
    #expect(!session.needsSession)
    fixture.node.release()
    #expect(await page.value == .notConfirmed)
    #expect(try fixture.broker.session(of: caller).needsSession == false)
  }

  @Test func thereAreOnlySoManySessions() async throws {
    let fixture = try await BrokerFixture()
    // Many at once are counted too.
    let openings = (0...BrokerLimits.sessions).map { number in
      Task { await refusal { try await fixture.openSession(package: "app-\(number)") } }
    }
    var met: [String?] = []
    for opening in openings { met.append(await opening.value) }
    #expect(met.count { $0 == nil } == BrokerLimits.sessions)
    #expect(met.count { $0 == "tooMany sessions" } == 1)
  }

  @Test func anAppThatNeverClosesItsSessionsLocksNobodyOut() async throws {
    let fixture = try await BrokerFixture()
    let (other, otherKey) = try await fixture.openSession(package: "other")
    let (busy, busyKey) = try await fixture.openSession()
    _ = try await fixture.start(busy)
    var keys: [String] = []
    for _ in 2..<BrokerLimits.sessions { keys.append(try await fixture.openSession().key) }
    #expect(fixture.broker.status().sessions == BrokerLimits.sessions)
    // Another app comes: the oldest unused one of the many gives way, and no other.
    _ = try await fixture.openSession(package: "third")
    #expect(fixture.broker.status().sessions == BrokerLimits.sessions)
    #expect(await refusal { try fixture.broker.authenticate(key: keys[0]) } == "no session")
    for key in keys.dropFirst() + [otherKey, busyKey] {
      _ = try fixture.broker.authenticate(key: key)
    }
    #expect(try await fixture.broker.get("rq-1", for: busy).state == .started)
    #expect(try fixture.broker.session(of: other).package == "other")
  }

  @Test func aSessionInUseGivesWayToNobody() async throws {
    let fixture = try await BrokerFixture()
    for number in 0..<BrokerLimits.sessions {
      _ = try await fixture.openSession(package: "app-\(number)")
    }
    #expect(await refusal { try await fixture.openSession() } == "tooMany sessions")
    // One that was not used for a while does.
    let session = try #require(fixture.broker.vault.all.first { $0.row.package == "app-7" })
    session.usedAt = .now + (.seconds(-1) - SessionRoom.unused)
    _ = try await fixture.openSession()
    #expect(!fixture.broker.vault.all.contains { $0.row.package == "app-7" })
  }

  @Test func whatCannotBeASessionIsRefused() async throws {
    let fixture = try await BrokerFixture()
    func met(_ change: (inout SessionOpening) -> Void) async -> String? {
      var opening = SessionOpening(
        package: "com.example.notes", account: nil, nodeURL: TestNode.origin,
        trust: .node(.transportKey(String(repeating: "0f", count: 32))),
        tokens: SessionTokens(accessToken: "t"), origins: [], returnTo: nil)
      change(&opening)
      return await refusal { try await fixture.broker.openSession(opening) }
    }
    #expect(await met { _ in } == nil)
    #expect(await met { $0.package = "" } == "invalid package")
    #expect(await met { $0.package = String(repeating: "p", count: 255) } == nil)
    #expect(await met { $0.package = String(repeating: "p", count: 256) } == "invalid package")
    #expect(await met { $0.package = "a b" } == "invalid package")
    #expect(await met { $0.nodeURL = "http://node.example" } == "CONSENT_REQUEST_INVALID")
    #expect(await met { $0.returnTo = "http://evil.example" } == "CONSENT_RETURN_TO_NOT_ALLOWED")
    #expect(await met { $0.tokens = SessionTokens(accessToken: "") } == "CONSENT_REQUEST_INVALID")
    #expect(
      await met { $0.origins = (0...64).map { "https://o\($0).example" } } == "invalid origins")
  }
}
