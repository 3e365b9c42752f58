import Crypto
import DevelopmentNode
import EventLoop
import FoundationEssentials
import MeroConsent
import Sealed
import Synchronization
import Testing

/// The client over the real sealed transport, against a node in memory.
@Suite struct SealedClientTests {
  static let address = "http://127.0.0.1:4001/node-7"

  static func client(
    _ node: MemoryNode, trust: NodeTrust = .development, at url: String = address,
    tokens: SessionTokens = Fixture.tokens, clock: ClientClock = TestClock().clock()
  ) throws -> MeroClient {
    try MeroClient(
      node: NodeAddress(url), trust: trust, tokens: tokens, carrier: { node }, clock: clock)
  }

  static func json(_ text: String, status: Int = 200) -> APIAnswer {
    APIAnswer(status: status, body: Array(text.utf8))
  }

  /// A node that has decided.
  static let decided: MemoryNode.API = { _ in json(Fixture.approvedOrg) }

  static func error(
    _ node: MemoryNode, trust: NodeTrust = .development
  ) async throws -> ConsentError? {
    let client = try client(node, trust: trust)
    do throws(ConsentError) {
      _ = try await client.consentResult("rq-1")
      return nil
    } catch {
      return error
    }
  }

  @Test func asksAndReadsInsideTheEnvelope() async throws {
    let seen = Mutex<[APIRequest]>([])
    let node = MemoryNode { request in
      seen.withLock { $0.append(request) }
      return request.method == "POST"
        ? Self.json(
          Fixture.startedJSON(url: "http://127.0.0.1:4001/node-7/consent/rq-1"), status: 201)
        : Self.json(Fixture.approvedOrg)
    }
    let client = try Self.client(node)
    let started = try await client.requestConsent(.createOrg(name: "Acme"))
    let back = "https://notes.example/r?request_id=rq-1"
    #expect(try await client.confirmConsentReturn(started, returned: back).orgId == "org-1")
    let requests = seen.withLock { $0 }
    #expect(requests.map(\.method) == ["POST", "GET"])
    #expect(requests.map(\.path) == ["/consent/requests", "/consent/rq-1/result"])
    #expect(requests.map { $0.header("authorization") } == ["Bearer access-1", "Bearer access-1"])
    #expect(requests.map { $0.header("content-type") } == ["application/json", nil])
    #expect(
      await node.paths == [
        "/admin-api/tee/attest", "/sealed/v2/handshake", "/sealed/v2", "/sealed/v2",
      ])
  }

  @Test func nothingSecretIsOnTheWire() async throws {
    let node = MemoryNode(api: Self.decided)
    let client = try Self.client(node)
    _ = await code { try await client.requestConsent(.acceptInvite(token: "the-invite-token")) }
    _ = await code { try await client.consentResult("rq-1") }
    for post in await node.posts {
      for secret in ["access-1", "refresh-1", "the-invite-token", "rq-1", "acceptInvite"] {
        #expect(!String(decoding: post.body, as: UTF8.self).contains(secret))
      }
    }
  }

  @Test func refreshesInsideTheEnvelope() async throws {
    let node = MemoryNode { request in
      if request.path == "/auth/refresh" {
        return Self.json(#"{"data":{"access_token":"access-2","refresh_token":"refresh-2"}}"#)
      }
      guard request.header("authorization") == "Bearer access-2" else {
        return APIAnswer(status: 401, headers: [("X-Auth-Error", "token_expired")])
      }
      return Self.json(Fixture.approvedOrg)
    }
    #expect(try await Self.client(node).consentResult("rq-1").orgId == "org-1")
  }

  @Test func goesByTheDateInsideTheEnvelopeBeforeTheOneAroundIt() async throws {
    let inside = MemoryNode(api: { _ in
      APIAnswer(
        status: 200, headers: [("Date", "Tue, 01 Dec 2026 11:00:00 GMT")],
        body: Array(Fixture.approvedOrg.utf8))
    })
    let reading = try await Self.client(inside).read("rq-1", kind: nil)
    #expect(reading.nodeDate == TestClock.noon.addingTimeInterval(-3600))

    let around = MemoryNode(
      api: Self.decided,
      spoil: { _, answer in
        var answer = answer
        answer.head.date = "Tue, 01 Dec 2026 13:00:00 GMT"
        return answer
      })
    #expect(
      try await Self.client(around).read("rq-1", kind: nil).nodeDate
        == TestClock.noon.addingTimeInterval(3600))
  }

  @Test(arguments: [404, 401, 500, 302])
  func takesStatusesFromInsideTheEnvelope(status: Int) async throws {
    let error = try await Self.error(MemoryNode { _ in Self.json("", status: status) })
    let codes: [Int: ConsentError.Code] = [404: .replaced, 401: .sessionExpired]
    #expect(error?.code == codes[status] ?? .nodeError)
    #expect(error?.nodeStatus == status)
  }

  /// A page of somebody else's is never the node's answer.
  @Test(
    arguments: ["/admin-api/tee/attest", "/sealed/v2/handshake", "/sealed/v2"],
    [200, 302, 401, 403, 404, 502])
  func reportsAnothersPageWithItsStatusAlone(path: String, status: Int) async throws {
    let node = MemoryNode(
      api: Self.decided, spoil: { at, _ in at == path ? .page(status) : nil })
    let error = try await Self.error(node)
    #expect(error?.code == .nodeError)
    #expect(error?.nodeStatus == status)
    #expect(error?.advice.contains("Sign in") == false)
    if status == 302 { #expect(error?.advice.contains("redirect") == true) }
  }

  @Test func aPageThatGoesAwayDoesNotEndAWait() async throws {
    let left = Mutex(2)
    let node = MemoryNode(
      api: Self.decided,
      spoil: { path, _ in
        guard path == "/sealed/v2" else { return nil }
        return left.withLock { left in
          left -= 1
          return left >= 0 ? .page(200) : nil
        }
      })
    let client = try Self.client(node)
    #expect(try await client.waitForConsent(Fixture.started).orgId == "org-1")
  }

  @Test(arguments: [
    CarrierError.Reason.nameNotFound, .notConnected, .tls, .cut, .timedOut, .notHTTP,
  ])
  func isUnreachableWithoutAnAnswer(reason: CarrierError.Reason) async throws {
    let node = MemoryNode(
      api: Self.decided,
      spoil: { _, _ throws(CarrierError) in
        throw CarrierError(reason, requestMayHaveLeft: true, detail: "marker-detail")
      })
    let error = try await Self.error(node)
    #expect(error?.code == .nodeUnreachable)
    #expect(error?.advice.contains("marker") == false)
  }

  @Test func anAnswerThatIsCutShortIsNone() async throws {
    let node = MemoryNode(
      api: Self.decided,
      spoil: { path, answer in
        guard path == "/sealed/v2" else { return nil }
        return .sealed(answer.body.dropLast(21))
      })
    #expect(try await Self.error(node)?.code == .nodeUnreachable)
  }

  @Test func anAnswerThatWasChangedIsTheNodesError() async throws {
    let node = MemoryNode(
      api: Self.decided,
      spoil: { path, answer in
        guard path == "/sealed/v2" else { return nil }
        var body = answer.body
        body[body.count - 1] ^= 1
        return .sealed(body)
      })
    #expect(try await Self.error(node)?.code == .nodeError)
  }

  @Test func takesAnAnswerOf1MiBAndNotMore() async throws {
    @Sendable func answer(_ size: Int) -> String {
      let json = Fixture.approvedOrg
      return json + String(repeating: " ", count: size - json.utf8.count)
    }
    let fits = MemoryNode { _ in Self.json(answer(1 << 20)) }
    #expect(try await Self.error(fits) == nil)
    let over = MemoryNode { _ in Self.json(answer((1 << 20) + 1)) }
    #expect(try await Self.error(over)?.code == .nodeError)
  }

  // MARK: Refusals

  @Test(arguments: [NodeRefusal.Code.unknownSession, .staleTransportKey, .busy])
  func goesOnAfterARefusalThatSaysThatNothingRan(code: NodeRefusal.Code) async throws {
    let refuse = Mutex(true)
    let ran = Mutex(0)
    let node = MemoryNode(
      api: { _ in
        ran.withLock { $0 += 1 }
        return Self.json(Fixture.approvedOrg)
      },
      spoil: { path, _ in
        guard path == (code == .busy ? "/sealed/v2/handshake" : "/sealed/v2") else { return nil }
        return refuse.withLock { refuse in
          defer { refuse = false }
          return refuse ? .refusal(code, retryAfter: 0) : nil
        }
      })
    #expect(try await Self.error(node) == nil)
  }

  @Test(arguments: NodeRefusal.Code.allCases)
  func reportsARefusalThatStays(code: NodeRefusal.Code) async throws {
    let node = MemoryNode(
      api: Self.decided,
      spoil: { path, _ in path == "/sealed/v2" ? .refusal(code, retryAfter: 0) : nil })
    let error = try await Self.error(node)
    #expect(error?.code == .nodeError)
    #expect(error?.nodeStatus == code.status)
    #expect(error?.advice.contains(code.rawValue) == true)
  }

  @Test func saysThatTheRouteIsUnguarded() async throws {
    let node = MemoryNode { _ in
      Self.json(#"{"error":{"code":"sealed_route_unguarded","message":"no"}}"#, status: 403)
    }
    let error = try await Self.error(node)
    #expect(error?.code == .nodeError)
    #expect(error?.nodeStatus == 403)
    #expect(error?.advice.contains("sealed_route_unguarded") == true)
  }

  @Test func findsANodeThatRestarted() async throws {
    let node = MemoryNode(api: Self.decided)
    let client = try Self.client(node)
    #expect(await code { try await client.consentResult("rq-1") } == nil)
    await node.restart()
    #expect(await code { try await client.consentResult("rq-1") } == nil)
    await node.forgetSessions()
    #expect(await code { try await client.consentResult("rq-1") } == nil)
  }
}
