import ConsentClient
import DevelopmentNode
import EventLoop
import MeroConsent
import Testing

/// The client against the daemon as it is built, and a node that speaks the real protocol.
@Suite @LoopActor struct RealDaemonTests {
  @Test func aRequestGoesTheWholeWay() async throws {
    let daemon = try await RealDaemon()
    let session = try await daemon.openSession()
    let info = try await session.info()
    #expect(info.nodeURL == daemon.node.state.place.base && !info.needsSession)

    let request = try await session.start(.createOrg(name: "Acme"))
    #expect(request.state == .started && request.kind == .createOrg && request.callback != nil)
    let started = try #require(request.started)
    #expect(try await session.requests().requests.map(\.requestId) == [request.requestId])
    #expect(try await daemon.client.status().undecidedRequests == 1)

    async let decision = session.decision(of: request.requestId)
    try daemon.node.decide(request.requestId, .approve)
    let decided = try await session.confirm(
      request.requestId, returned: "https://a/?request_id=\(started.requestId)&result=approved")
    #expect(decided.state == .approved && decided.result.orgId != nil)
    #expect(decided.lastReturn?.code == "OK" && decided.changesOrganizations)
    #expect(try await decision.outcome == decided.outcome)

    let page = try await session.requests(in: .approved, limit: 1)
    #expect(page.requests.map(\.state) == [.approved])
    try await session.close()
    await #expect(throws: BrokerError(testing: .keyRequired)) { _ = try await session.info() }
    try await daemon.end()
  }

  @Test func anInviteIsServedToItsSessionAlone() async throws {
    let daemon = try await RealDaemon()
    let session = try await daemon.openSession()
    let founded = try await session.start(.createOrg(name: "Acme"))
    try daemon.node.decide(founded.requestId, .approve)
    let org = try #require(try await session.decision(of: founded.requestId).result.orgId)
    let invite = try await session.start(.createInvite(org: org))
    try daemon.node.decide(invite.requestId, .approve)
    let decided = try await session.decision(of: invite.requestId)
    #expect(decided.result.inviteToken != nil)
    #expect(
      try await session.requests(in: .approved).requests.allSatisfy {
        $0.result.inviteToken == nil
      })
    let other = try await daemon.openSession()
    do throws(BrokerError) {
      _ = try await other.request(invite.requestId)
      Issue.record("no error")
    } catch {
      #expect(error.code == .notFound)
    }
    try await daemon.end()
  }

  @Test func refusalsNameWhatIsWrong() async throws {
    let daemon = try await RealDaemon()
    let session = try await daemon.openSession()
    do throws(BrokerError) {
      _ = try await session.start(.createOrg(name: ""))
      Issue.record("no error")
    } catch {
      #expect(error.consentCode == .requestInvalid && error.field == "name", "\(error)")
    }
    let request = try await session.start(.createOrg(name: "Acme"))
    do throws(BrokerError) {
      _ = try await session.confirm(request.requestId, returned: "https://a/?request_id=another")
      Issue.record("no error")
    } catch {
      #expect(error.consentCode == .requestMismatch && error.requestId == request.requestId)
    }
    do throws(BrokerError) {
      _ = try await session.confirm(
        request.requestId, returned: "https://a/?request_id=\(request.requestId)")
      Issue.record("no error")
    } catch {
      #expect(error.consentCode == .notDecided)
    }
    #expect(try await session.request(request.requestId).lastReturn?.code == "CONSENT_NOT_DECIDED")
    do throws(BrokerError) {
      try await daemon.client.accept(returned: "nonsense")
      Issue.record("no error")
    } catch {
      #expect(error.consentCode == .returnURLMalformed)
    }
    #expect(try await session.cancel(request.requestId).state == .cancelled)
    try await daemon.end()
  }

  @Test func theSameKeyIsTheSameRequest() async throws {
    let daemon = try await RealDaemon()
    let session = try await daemon.openSession()
    let first = try await session.start(.createOrg(name: "Acme"), idempotencyKey: "k")
    let second = try await session.start(.createOrg(name: "Acme"), idempotencyKey: "k")
    #expect(first.requestId == second.requestId)
    do throws(BrokerError) {
      _ = try await session.start(.createOrg(name: "Other"), idempotencyKey: "k")
      Issue.record("no error")
    } catch {
      #expect(error.code == .idempotencyKeyReused)
    }
    try await daemon.end()
  }

  @Test func waitsAndEventsGoOnOverACrashOfTheDaemon() async throws {
    let daemon = try await RealDaemon()
    let session = try await daemon.openSession()
    let events = Task {
      var seen: [BrokerEvent] = []
      for try await event in session.events(after: "0") {
        seen.append(event)
        if event.state.isFinal { break }
      }
      return seen
    }
    let request = try await session.start(.createOrg(name: "Acme"))
    let waiting = Task { try await session.decision(of: request.requestId) }
    while try await daemon.client.status().waits == 0 {
      try await LoopActor.sleep(for: .milliseconds(5))
    }
    try await daemon.kill()
    try daemon.node.decide(request.requestId, .approve)
    try await daemon.start()
    // The tokens were in the daemon's memory alone: the wait says that it needs them again.
    let interim = try await waiting.value
    #expect(interim.needsSession && interim.state == .started)
    try await session.replaceTokens(daemon.tokens)
    #expect(try await session.decision(of: request.requestId).state == .approved)
    let seen = try await events.value
    #expect(seen.last?.state == .approved)
    #expect(Set(seen.map(\.id)).count == seen.count)
    try await daemon.end()
  }
}
