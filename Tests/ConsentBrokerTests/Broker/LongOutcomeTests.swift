import Callback
import EventLoop
import FoundationEssentials
import HTTP
import MeroConsent
import Testing

@testable import ConsentBroker

/// An outcome that a node drew out is read by who tells it, and by nobody else.
@LoopActor @Suite(.aFewAtATime) struct LongOutcomeTests {
  private static let apps = (1...2000).map { "app/\($0) \"é\"" }

  /// A request that was approved with a long outcome.
  private func approved(
    _ fixture: BrokerFixture, key: String? = nil
  ) async throws -> (caller: Caller, key: String, ticket: String) {
    let (caller, sessionKey) = try await fixture.openSession()
    let view = try await fixture.broker.start(
      .deleteOrg(org: "o"), open: false, idempotencyKey: key, for: caller
    ).view
    let apps = String(decoding: try JSONEncoder().encode(Self.apps), as: UTF8.self)
    fixture.node.decide("rq-1", .approved(outcome: #"{"kind":"orgDeleted","apps":\#(apps)}"#))
    let ticket = try fixture.ticket(of: view)
    #expect(await fixture.page(ticket, "request_id=rq-1") == .approved)
    return (caller, sessionKey, ticket)
  }

  /// The answer over HTTP, as its client has it.
  private func answer(
    _ method: HTTPMethod, _ fixture: BrokerFixture, _ key: String, etag: String? = nil
  ) async throws -> (head: String, body: [UInt8]) {
    let api = LocalAPI(broker: fixture.broker, uid: 1000)
    var headers: HTTPHeaders = [.authorization: try #require(HTTPFieldValue("Bearer \(key)"))]
    if let etag { headers.set(.ifNoneMatch, try #require(HTTPFieldValue(etag))) }
    let response = await api.respond(
      to: HTTPRequest(method: method, path: "/v1/requests/rq-1", headers: headers),
      on: HTTPConnectionInfo(peer: nil))
    var head: [UInt8] = []
    let transfer = HTTPResponseWriter.head(
      response, toHead: method == .head, version: .http11, persists: true, date: [], into: &head)
    guard case .bytes(let body) = transfer else {
      return (String(decoding: head, as: UTF8.self), [])
    }
    return (String(decoding: head, as: UTF8.self), body)
  }

  @Test func isToldWholeToWhoAsksForItsRequest() async throws {
    let fixture = try await BrokerFixture()
    let (caller, key, _) = try await approved(fixture, key: "k")
    let expected = ConsentOutcome.orgDeleted(apps: Self.apps)
    let view = try await fixture.broker.get("rq-1", for: caller)
    #expect(try view.toldOutcome() == expected)
    let confirmed = try await fixture.broker.confirm(
      "rq-1", returned: "a:/?request_id=rq-1", for: caller)
    #expect(try confirmed.toldOutcome() == expected)
    let repeated = try await fixture.broker.start(
      .deleteOrg(org: "o"), open: false, idempotencyKey: "k", for: caller)
    #expect(repeated.repeated)
    #expect(try repeated.view.toldOutcome() == expected)
    #expect(try await fixture.broker.cancel("rq-1", for: caller).toldOutcome() == expected)
    #expect(
      try await fixture.broker.open("rq-1", for: caller).view.toldOutcome() == expected)
    // In the answer it is the object that a short one is.
    struct Answer: Decodable {
      struct Outcome: Decodable {
        let kind: String
        let apps: [String]
      }
      let outcome: Outcome
      let requestId, state, url: String
    }
    let body = try await answer(.get, fixture, key).body
    let decoded = try JSONDecoder().decode(Answer.self, from: Data(body))
    #expect(decoded.outcome.kind == "orgDeleted")
    #expect(decoded.outcome.apps == Self.apps)
    #expect(decoded.requestId == "rq-1")
    let list = try await fixture.broker.list(state: nil, limit: 10, before: nil, for: caller)
    #expect(list.requests.map(\.requestId) == [view.requestId])
    #expect(list.requests.allSatisfy { $0.longOutcome == nil && $0.outcome == nil })
  }

  @Test func headHasTheLengthOfTheWholeAnswer() async throws {
    let fixture = try await BrokerFixture()
    let (_, key, _) = try await approved(fixture)
    let get = try await answer(.get, fixture, key)
    let head = try await answer(.head, fixture, key)
    #expect(get.body.count > BrokerLimits.listedOutcome)
    #expect(get.head.contains("Content-Length: \(get.body.count)\r\n"))
    #expect(head.head == get.head)
    #expect(head.body == [])
  }

  /// The ledger is closed: what it would have to be asked for fails.
  @Test func isNotReadForWhoDoesNotWantIt() async throws {
    let fixture = try await BrokerFixture()
    let (caller, key, ticket) = try await approved(fixture)
    let view = try await fixture.broker.get("rq-1", for: caller)
    await fixture.ledger.close()
    #expect(try await answer(.head, fixture, key).head.contains(" 200 "))
    #expect(try await answer(.get, fixture, key, etag: view.etag).head.contains(" 304 "))
    #expect(await fixture.broker.page(ticket: ticket, until: .now) == .approved)
    #expect(
      await refusal { try await fixture.broker.get("rq-1", for: caller) } == "STATE_UNAVAILABLE")
  }

  @Test func whoSendsAheadLeavesOthersTheirTurns() async throws {
    let fixture = try await BrokerFixture()
    let (_, key, _) = try await approved(fixture)
    var order: [String] = []
    let all = ["first", "second"].map { name in
      Task.immediate { @LoopActor in
        for _ in 1...10 {
          _ = try await answer(.head, fixture, key)
          order.append(name)
        }
      }
    }
    for task in all { try await task.value }
    // Neither has all of its answers before the other has one.
    #expect(Set(order.prefix(10)).count == 2, "\(order)")
  }

  @Test func isToldBeforeTheDiskHasTakenIt() async throws {
    let fixture = try await BrokerFixture(keepsNotes: true)
    try await fixture.ledger.refuseApprovals()
    let (caller, _, _) = try await approved(fixture)
    let view = try await fixture.broker.get("rq-1", for: caller)
    #expect(!view.isRecorded)
    #expect(try view.toldOutcome() == .orgDeleted(apps: Self.apps))
  }
}

extension RequestView {
  /// The outcome as its app has it: from its parts, or as it was written.
  func toldOutcome() throws -> ConsentOutcome? {
    guard let longOutcome else { return outcome }
    let bytes = Data(longOutcome.text.utf8)
    return try JSONDecoder().decode(OutcomeBody.self, from: bytes).outcome
  }
}
