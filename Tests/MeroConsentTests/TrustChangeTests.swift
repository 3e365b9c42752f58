import Crypto
import DevelopmentNode
import EventLoop
import FoundationEssentials
import MeroConsent
import Sealed
import Synchronization
import TestPKI
import Testing

/// What calls under way notice when what their node is trusted by changes.
@LoopActor @Suite(.timeLimit(.minutes(5))) struct TrustChangeTests {
  private let node: MemoryNode
  private let doors = Doors()
  private let tokens = Tokens()

  init() {
    let tokens = tokens
    node = MemoryNode(quote: .tdx(TestPKI(), root: NodeTrustTests.root), api: { tokens.answer($0) })
  }

  nonisolated private static let trusted = NodeTrust.measurements([NodeTrustTests.image])
  nonisolated private static let wider = NodeTrust.measurements([
    NodeTrustTests.otherImage, NodeTrustTests.image,
  ])
  nonisolated private static let others = NodeTrust.measurements([NodeTrustTests.otherImage])

  private func client(_ trust: NodeTrust) throws -> MeroClient {
    let (node, doors, tokens) = (node, doors, tokens)
    return try MeroClient(
      node: NodeAddress(NodeTrustTests.remote), trust: trust, tokens: Fixture.tokens,
      carrier: { doors.make(to: node) },
      clock: TestClock(start: Date(timeIntervalSince1970: Double(TestPKI().now))).clock(),
      verifier: NodeTrustTests.verifier(),
      onTokensChanged: { told in tokens.told.withLock { $0.append(told.accessToken) } })
  }

  private func read(_ client: MeroClient) -> Task<String?, any Error> {
    Task { try await client.consentResult("rq-1").orgId }
  }

  private func refusal(_ call: Task<some Sendable, any Error>) async -> ConsentError? {
    do {
      _ = try await call.value
      return nil
    } catch {
      return error as? ConsentError
    }
  }

  // MARK: What goes on

  enum Change: CaseIterable, Sendable { case wider, key, fromKey }

  @Test(arguments: Change.allCases) func whatIsProvedForTheNewTrustGoesOn(
    _ change: Change
  ) async throws {
    let key = NodeTrust.transportKey(node.transportKey)
    let (before, after) =
      switch change {
      case .wider: (Self.trusted, Self.wider)
      case .key: (Self.trusted, key)
      case .fromKey: (key, NodeTrust.transportKey(node.transportKey.uppercased()))
      }
    let client = try client(before)
    doors.hold("/sealed/v2")
    let first = read(client)
    let door = try await doors.held()
    #expect(await client.change(to: after) == .keepsCalls)
    #expect(!door.isClosed)
    // A new call does not wait for the old one.
    doors.hold(nil)
    #expect(try await read(client).value == "org-1")
    door.release()
    #expect(try await first.value == "org-1")
    try await until { door.isClosed }
    // What is the same is no change.
    #expect(await client.change(to: after) == .none)
    #expect(doors.count == 2)
    await client.close()
  }

  @Test func aCallThatWasNotSentIsSentUnderTheTrustOfNow() async throws {
    let client = try client(Self.others)
    doors.hold("/admin-api/tee/attest")
    let start = Task { try await client.requestConsent(.createOrg(name: "Acme")).requestId }
    let door = try await doors.held()
    doors.hold(nil)
    #expect(await client.change(to: Self.trusted) == .keepsCalls)
    #expect(door.isClosed)
    #expect(try await start.value == "rq-1")
    #expect(tokens.starts.withLock { $0 } == 1)
    await client.close()
  }

  // MARK: What ends

  @Test func whatIsNotProvedForTheNewTrustEnds() async throws {
    let client = try client(Self.trusted)
    doors.hold("/sealed/v2")
    let start = Task { try await client.requestConsent(.createOrg(name: "Acme")) }
    let door = try await doors.held()
    let reading = read(client)
    try await until { door.count >= 2 }
    doors.hold(nil)
    #expect(await client.change(to: Self.others) == .endsCalls)
    #expect(!door.isClosed)
    await client.endDistrusted()
    #expect(door.isClosed)
    let error = await refusal(start)
    #expect(error?.code == .nodeUntrusted)
    #expect(error?.advice.contains("was changed while it was asked") == true)
    // What only reads is asked again, of a node that has to prove the other image.
    let again = await refusal(reading)
    #expect(again?.code == .nodeUntrusted)
    #expect(again?.advice.contains("measurements-untrusted") == true)
    await client.close()
  }

  @Test func anAnswerOfANodeThatIsTrustedNoMoreDoesNotCount() async throws {
    let client = try client(Self.trusted)
    doors.hold("/sealed/v2")
    let reading = read(client)
    let door = try await doors.held()
    doors.hold(nil)
    #expect(await client.change(to: Self.others) == .endsCalls)
    door.release()
    #expect(await refusal(reading)?.code == .nodeUntrusted)
    await client.close()
  }

  @Test func withNothingToTrustNothingIsAsked() async throws {
    let client = try client(Self.trusted)
    doors.hold("/sealed/v2")
    let reading = read(client)
    _ = try await doors.held()
    #expect(await client.change(to: nil) == .endsCalls)
    await client.endDistrusted()
    await client.close()
    #expect(await refusal(reading)?.code == .nodeUntrusted)
    #expect(doors.count == 1)
  }

  @Test func closingEndsTheFormerCallsToo() async throws {
    let client = try client(Self.trusted)
    doors.hold("/sealed/v2")
    let reading = read(client)
    let door = try await doors.held()
    #expect(await client.change(to: Self.wider) == .keepsCalls)
    await client.close()
    #expect(door.isClosed)
    #expect(await refusal(reading)?.code == .cancelled)
  }

  // MARK: Tokens

  /// A refresh token is good for one refresh, whichever line the calls that need it are on.
  @Test(arguments: [Self.wider, Self.others]) func oldAndNewCallsShareARefresh(
    _ after: NodeTrust
  ) async throws {
    let client = try client(Self.trusted)
    #expect(try await read(client).value == "org-1")
    tokens.good.withLock { $0 = "access-2" }
    doors.hold("/sealed/v2", after: 1)
    let first = read(client)
    let door = try await doors.held()
    doors.hold(nil)
    let change = await client.change(to: after)
    #expect(change == (after == Self.wider ? .keepsCalls : .endsCalls))
    let second = read(client)
    for _ in 1...20 { await Task.yield() }
    door.release()
    await client.refreshEnds()
    await client.endDistrusted()
    let end: ConsentError.Code? = after == Self.wider ? nil : .nodeUntrusted
    #expect(await refusal(first)?.code == end)
    #expect(await refusal(second)?.code == end)
    #expect(tokens.refreshes.withLock { $0 } == 1)
    #expect(tokens.told.withLock { $0 } == ["access-2"])
    await client.close()
  }
}

/// Returns once `condition` holds, or throws once the suite's time is over.
@LoopActor private func until(_ condition: @LoopActor () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// What the node takes and gives.
private final class Tokens: Sendable {
  let good = Mutex("access-1")
  let refreshes = Mutex(0)
  let starts = Mutex(0)
  let told = Mutex<[String]>([])

  func answer(_ request: APIRequest) -> APIAnswer {
    let good = good.withLock { $0 }
    if request.path == "/auth/refresh" {
      let number = refreshes.withLock { count in
        count += 1
        return count
      }
      guard number == 1 else { return SealedClientTests.json("", status: 401) }
      return SealedClientTests.json(
        #"{"data":{"access_token":"\#(good)","refresh_token":"refresh-2"}}"#)
    }
    guard request.header("authorization") == "Bearer \(good)" else {
      return APIAnswer(status: 401, headers: [("x-auth-error", "token_expired")])
    }
    guard request.method == "POST" else { return SealedClientTests.json(Fixture.approvedOrg) }
    starts.withLock { $0 += 1 }
    return SealedClientTests.json(
      Fixture.startedJSON(url: NodeTrustTests.remote + "/consent/rq-1"), status: 201)
  }
}

/// The ways to a node that a client has opened, one after the other.
private final class Doors: Sendable {
  private let doors = Mutex<[Door]>([])
  private let path = Mutex<(path: String, after: Int)?>(nil)

  var count: Int { doors.withLock { $0.count } }

  func make(to node: MemoryNode) -> Door {
    let door = Door(to: node, self)
    doors.withLock { $0.append(door) }
    return door
  }

  /// From here on answers of this path wait, after so many that do not.
  func hold(_ path: String?, after: Int = 0) {
    self.path.withLock { $0 = path.map { ($0, after) } }
  }

  fileprivate func holds(_ path: String) -> Bool {
    self.path.withLock { held in
      guard let now = held, now.path == path else { return false }
      if now.after == 0 { return true }
      held = (now.path, now.after - 1)
      return false
    }
  }

  /// The first one, once an answer waits there.
  @LoopActor func held() async throws -> Door {
    var door: Door?
    try await until {
      door = doors.withLock { $0.first }
      return door.map { $0.count > 0 } ?? false
    }
    return try #require(door)
  }
}

@LoopActor private final class Door: Carrier {
  private let node: MemoryNode
  // They have this one.
  private weak var doors: Doors?
  private var held: [UnsafeContinuation<Void, Never>] = []
  private(set) var isClosed = false

  nonisolated init(to node: MemoryNode, _ doors: Doors) {
    self.node = node
    self.doors = doors
  }

  /// Of answers that wait.
  var count: Int { held.count }

  func release() {
    for call in held { call.resume() }
    held = []
  }

  @LoopActor func post(_ request: CarrierRequest) async throws(CarrierError) -> any CarrierReply {
    guard !isClosed else { throw CarrierError(.closed, requestMayHaveLeft: false) }
    let reply = try await node.post(request)
    if doors?.holds(request.path) == true { await withUnsafeContinuation { held.append($0) } }
    guard !isClosed else { throw CarrierError(.closed, requestMayHaveLeft: true) }
    return reply
  }

  @LoopActor func close() async {
    isClosed = true
    release()
  }
}
