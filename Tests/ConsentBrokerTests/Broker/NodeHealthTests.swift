import EventLoop
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct NodeHealthTests {
  @Test func theLogSaysOnceThatANodeCannotBeReadAndOnceThatItCanAgain() async throws {
    let fixture = try await BrokerFixture()
    fixture.watchNothing()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    func read() async -> String? {
      await refusal { try await fixture.broker.confirm("rq-1", returned: "app:/", for: caller) }
    }
    func count(_ text: String) -> Int { fixture.records.text.split(separator: text).count - 1 }
    fixture.node.isDown = true
    for _ in 0..<2 { #expect(await read() == "NODE_UNREACHABLE") }
    #expect(count("the session's node cannot be read: ") == 1)
    #expect(count("the session's node is read again") == 0)
    fixture.node.isDown = false
    for _ in 0..<2 { #expect(await read() == "CONSENT_NOT_DECIDED") }
    #expect(count("the session's node is read again") == 1)
  }

  @Test func theLogSaysEachOtherReasonOnce() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let session = try fixture.broker.session(caller)
    func count(_ text: String) -> Int { fixture.records.text.split(separator: text).count - 1 }
    func fail(_ code: ConsentError.Code) {
      fixture.broker.noteAnswer(
        .failure(ConsentError(code)), of: session, given: session.tokensGiven)
    }
    for code in [.nodeUnreachable, .nodeUntrusted, .nodeUnreachable, .nodeUntrusted]
      as [ConsentError.Code]
    {
      fail(code)
    }
    #expect(count("code=NODE_UNREACHABLE") == 1)
    #expect(count("code=NODE_UNTRUSTED") == 1)
    fixture.broker.noteIsReachable(session)
    fail(.nodeUntrusted)
    #expect(count("code=NODE_UNTRUSTED") == 2)
  }
}
