import EventLoop
import FoundationEssentials
import Glibc
import MeroConsent
import Testing

@testable import ConsentBroker

/// Tokens that the node renews while the daemon ends, is killed, or reads its configuration again:
/// the old ones are spent as soon as the node has the call.
@LoopActor @Suite(.aFewAtATime) struct RefreshedTokensTests {
  private let store = TestStore()

  /// Has the node renew the session's tokens, and returns while the answer is on its way.
  private func refreshing(_ fixture: BrokerFixture, _ caller: Caller) async throws {
    fixture.node.expireTokens()
    fixture.node.holdRefreshes()
    Task { try await fixture.broker.confirm("rq-1", returned: "app:/", for: caller) }
    await fixture.node.arrival()
  }

  private func works(_ fixture: BrokerFixture, _ caller: Caller) async throws {
    fixture.node.approve("rq-1")
    let view = try await fixture.broker.confirm("rq-1", returned: "app:/", for: caller)
    #expect(view.state == .approved)
    #expect(try !fixture.broker.session(of: caller).needsSession)
  }

  @Test func theEndWaitsForThem() async throws {
    let fixture = try await BrokerFixture(store: store)
    let (caller, key) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    try await refreshing(fixture, caller)
    fixture.broker.stop()
    let end = Task { await fixture.broker.close() }
    // The answer comes while the daemon is ending. The end has begun after one turn, and it does not
    // wait for ever.
    await LoopActor.turn()
    fixture.node.release()
    await end.value
    try await fixture.restart()
    try await works(fixture, fixture.broker.authenticate(key: key))
  }

  @Test func theEndDoesNotWaitForEver() async throws {
    let fixture = try await BrokerFixture(store: store)
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    try await refreshing(fixture, caller)
    fixture.broker.stop()
    let began = BootInstant.now
    // The transport's end lets the call go.
    await fixture.broker.close()
    #expect(BootInstant.now - began >= Broker.refreshPatience)
  }

  @Test func aKillAfterTheAnswerLosesNothing() async throws {
    let fixture = try await BrokerFixture(store: store)
    let (caller, key) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    fixture.node.expireTokens()
    _ = try? await fixture.broker.confirm("rq-1", returned: "app:/", for: caller)
    try await fixture.replaceKilled()
    try await works(fixture, fixture.broker.authenticate(key: key))
  }

  /// The service manager's descriptors can be written to by what may trace it.
  @Test func keptTokensOfAnotherAccountAreNotTaken() async throws {
    let fixture = try await BrokerFixture(store: store)
    // {"alg":"none"}.{"sub":"account-1"}., and 2.
    let (own, others) = (
      "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY2NvdW50LTEifQ.c2ln",
      "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY2NvdW50LTIifQ.c2ln"
    )
    let (caller, key) = try await fixture.openSession(accessToken: own)
    try await fixture.replaceKilled()
    #expect(try !fixture.broker.session(of: fixture.broker.authenticate(key: key)).needsSession)
    let secrets = SessionSecrets(store.given(), store: store, log: fixture.records.log())
    _ = secrets.recover([caller.session])
    secrets.keep(SessionTokens(accessToken: others, refreshToken: nil), of: caller.session)
    try await fixture.replaceKilled()
    #expect(try fixture.broker.session(of: fixture.broker.authenticate(key: key)).needsSession)
  }

  // MARK: The configuration's

  private func apply(_ fixture: BrokerFixture, token: String, more: String = "") async throws {
    let path = fixture.directory.path
    try write(token + "\n", to: path + "/token")
    var reading = ConfigurationReading()
    let text = """
      [Session work]
      Node=\(TestNode.origin)
      Package=com.example.notes
      TokenFile=\(path)/token
      RefreshTokenFile=\(path)/token
      TransportKey=\(String(repeating: "0f", count: 32))
      \(more)

      """
    ConfigurationFile.parse(Array(text.utf8), of: "f", into: &reading)
    #expect(reading.finish() == [])
    try await fixture.broker.apply(
      reading.configuration,
      ConfiguredPlaces(
        tokens: TokenFiles(Surroundings(environment: [:], uid: geteuid())),
        keys: SessionKeyFiles(in: path, uid: geteuid())))
  }

  private func caller(_ fixture: BrokerFixture) throws -> Caller {
    let bytes = try content(of: fixture.directory.path + "/sessions/work")
    return try fixture.broker.authenticate(key: String(decoding: bytes.dropLast(), as: UTF8.self))
  }

  @Test func aConfiguredSessionHasThemAfterAKill() async throws {
    let fixture = try await BrokerFixture(store: store)
    try await apply(fixture, token: "from-the-file")
    _ = try await fixture.start(caller(fixture))
    fixture.node.expireTokens()
    _ = try? await fixture.broker.confirm("rq-1", returned: "app:/", for: caller(fixture))
    try await fixture.replaceKilled()
    try await apply(fixture, token: "from-the-file")
    try await works(fixture, caller(fixture))
    #expect(fixture.node.bearers.last == "access-1")
  }

  @Test func aFileThatChangedMeanwhileIsNewer() async throws {
    let fixture = try await BrokerFixture(store: store)
    try await apply(fixture, token: "from-the-file")
    _ = try await fixture.start(caller(fixture))
    fixture.node.expireTokens()
    _ = try? await fixture.broker.confirm("rq-1", returned: "app:/", for: caller(fixture))
    try await fixture.replaceKilled()
    try await apply(fixture, token: "newer")
    fixture.node.accessToken = "newer"
    try await works(fixture, caller(fixture))
    #expect(fixture.node.bearers.last == "newer")
    // Taken out of the configuration, nothing of it is kept.
    try await fixture.broker.apply(
      Configuration(),
      ConfiguredPlaces(
        tokens: TokenFiles(Surroundings(environment: [:], uid: geteuid())), keys: nil))
    #expect(store.names == [])
  }

  @Test func aChangeOfTheConfigurationWaitsForThem() async throws {
    let fixture = try await BrokerFixture(store: store)
    try await apply(fixture, token: "from-the-file")
    _ = try await fixture.start(caller(fixture))
    try await refreshing(fixture, caller(fixture))
    let change = Task {
      try await apply(fixture, token: "from-the-file", more: "Origin=https://a.b")
    }
    for _ in 1...20 { await LoopActor.turn() }
    fixture.node.release()
    try await change.value
    try await works(fixture, caller(fixture))
  }
}
