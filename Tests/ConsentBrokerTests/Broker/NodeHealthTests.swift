import EventLoop
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite struct NodeHealthTests {
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
}
