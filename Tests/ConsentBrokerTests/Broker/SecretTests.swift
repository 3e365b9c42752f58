import Callback
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct SecretTests {
  private static let token = "invite-token-secret"
  private static let outcome = #"{"kind":"inviteCreated","token":"invite-token-secret"}"#

  private func invited(_ fixture: BrokerFixture) async throws -> (caller: Caller, key: String) {
    fixture.watchNothing()
    let (caller, key) = try await fixture.openSession()
    let view = try await fixture.broker.start(
      .createInvite(org: "o"), open: false, idempotencyKey: "k", for: caller
    ).view
    fixture.node.decide("rq-1", .approved(outcome: Self.outcome))
    #expect(
      await fixture.page(try fixture.ticket(of: view), "request_id=rq-1") == .approved)
    return (caller, key)
  }

  @Test func anInviteTokenIsServedToItsAppAndNotInLists() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await invited(fixture)
    let view = try await fixture.broker.get("rq-1", for: caller)
    #expect(view.outcome == .inviteCreated(token: Self.token))
    let list = try await fixture.broker.list(state: .approved, limit: 9, before: nil, for: caller)
    #expect(list.requests.map(\.requestId) == ["rq-1"])
    #expect(list.requests.first?.outcome == nil)
    #expect(
      try await fixture.broker.confirm("rq-1", returned: "a:b?request_id=rq-1", for: caller)
        .outcome == .inviteCreated(token: Self.token))
    #expect(fixture.node.reads(of: "rq-1") == 1)
  }

  @Test func afterARestartItIsReadAgainFromTheNodeOnce() async throws {
    let fixture = try await BrokerFixture()
    let (_, key) = try await invited(fixture)
    try await fixture.restart()
    let caller = try fixture.broker.authenticate(key: key)
    let without = try await fixture.broker.get("rq-1", for: caller)
    #expect(without.state == .approved)
    #expect(without.outcome == nil)
    #expect(without.needsSession)
    _ = try await fixture.broker.replaceTokens(
      of: caller, with: SessionTokens(accessToken: "new-token"))
    fixture.node.isDown = true
    let unread = try await fixture.broker.get("rq-1", for: caller)
    #expect(unread.outcome == nil)
    #expect(!unread.needsSession)
    #expect(unread.detail?.contains("could not be read again") == true)
    fixture.node.isDown = false
    let reads = fixture.node.reads(of: "rq-1")
    fixture.node.holdCalls()
    let gets = (1...4).map { _ in Task { try await fixture.broker.get("rq-1", for: caller) } }
    await fixture.node.arrival()
    fixture.node.release()
    for get in gets { #expect(try await get.value.outcome == .inviteCreated(token: Self.token)) }
    #expect(fixture.node.reads(of: "rq-1") == reads + 1)
  }

  @Test func noSecretIsOnTheDiskOrInTheLog() async throws {
    let fixture = try await BrokerFixture()
    let (caller, key) = try await invited(fixture)
    _ = try await fixture.broker.start(
      .acceptInvite(token: "accepted-token-secret"), open: false, idempotencyKey: "k2", for: caller)
    _ = try await fixture.broker.replaceTokens(
      of: caller, with: SessionTokens(accessToken: "new-secret", refreshToken: "newer-secret"))
    fixture.node.isDown = true
    _ = await refusal { try await fixture.start(caller) }
    let secrets = [
      Self.token, "accepted-token-secret", "access-token-secret", "refresh-token-secret",
      "new-secret", "newer-secret", key,
    ]
    for name in try names(in: fixture.directory.path) {
      let text = String(
        decoding: try content(of: "\(fixture.directory.path)/\(name)"), as: UTF8.self)
      for secret in secrets { #expect(!text.contains(secret), "\(name): \(secret)") }
    }
    let log = fixture.records.text
    #expect(!log.isEmpty)
    let view = try await fixture.broker.get("rq-1", for: caller)
    let ticket = try fixture.ticket(of: view)
    for secret in secrets + ["7QF2-XK", "https://", ticket] {
      #expect(!log.contains(secret), "the log: \(secret)")
    }
  }

  @Test func onlySoManySecretsAreInMemory() {
    var secrets = SecretOutcomes()
    for number in 1...(SecretOutcomes.most + 1) {
      secrets.keep(.inviteCreated(token: "t\(number)"), of: Int64(number))
    }
    #expect(secrets[1] == nil)
    #expect(secrets[2] == .inviteCreated(token: "t2"))
    #expect(secrets[Int64(SecretOutcomes.most + 1)] != nil)
  }

  /// A list tells what is short. The rest is in the answer to its request.
  @Test func aLongOutcomeIsServedToItsAppAndNotInLists() async throws {
    let fixture = try await BrokerFixture()
    let (_, key) = try await fixture.openSession()
    var caller = try fixture.broker.authenticate(key: key)
    let view = try await fixture.broker.start(
      .deleteOrg(org: "o"), open: false, idempotencyKey: nil, for: caller
    ).view
    let apps = (1...2000).map { "application-\($0)" }
    let list = apps.map { "\"\($0)\"" }.joined(separator: ",")
    fixture.node.decide(
      "rq-1", .approved(outcome: "{\"kind\":\"orgDeleted\",\"apps\":[\(list)]}"))
    _ = await fixture.page(try fixture.ticket(of: view), "request_id=rq-1")
    for isAgain in [false, true] {
      if isAgain {
        try await fixture.restart()
        caller = try fixture.broker.authenticate(key: key)
      }
      for state in [nil, RequestState.approved] {
        let listed = try await fixture.broker.list(
          state: state, limit: 9, before: nil, for: caller)
        #expect(listed.requests.map(\.requestId) == ["rq-1"])
        #expect(listed.requests.first?.outcome == nil)
        // It is not lost: the node is not needed.
        #expect(listed.requests.first?.needsSession == false)
      }
      let whole = try await fixture.broker.get("rq-1", for: caller)
      #expect(try whole.toldOutcome() == .orgDeleted(apps: apps))
    }
  }

  @Test func onlySoMuchOfSecretsIsInMemory() {
    var secrets = SecretOutcomes()
    let long = String(repeating: "t", count: SecretOutcomes.bytes)
    secrets.keep(.inviteCreated(token: "t1"), of: 1)
    secrets.keep(.inviteCreated(token: long), of: 2)
    // The newest is there in any case: somebody has just asked for it.
    #expect(secrets[1] == nil)
    #expect(secrets[2] != nil)
    secrets.keep(.inviteCreated(token: "t3"), of: 3)
    #expect(secrets[2] == nil)
    #expect(secrets[3] != nil)
  }

  @Test func outcomesWithoutSecretsAreKept() async throws {
    let fixture = try await BrokerFixture()
    let (_, key) = try await fixture.openSession()
    var caller = try fixture.broker.authenticate(key: key)
    let view = try await fixture.start(caller)
    fixture.node.approve("rq-1")
    _ = await fixture.page(try fixture.ticket(of: view), "request_id=rq-1")
    try await fixture.restart()
    caller = try fixture.broker.authenticate(key: key)
    let again = try await fixture.broker.get("rq-1", for: caller)
    #expect(again.outcome == .orgCreated(orgId: "org-rq-1"))
    #expect(!again.needsSession)
  }
}
