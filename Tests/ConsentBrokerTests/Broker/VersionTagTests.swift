import EventLoop
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
}
