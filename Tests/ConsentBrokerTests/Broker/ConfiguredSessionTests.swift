import EventLoop
import FoundationEssentials
import Glibc
import MeroConsent
import Testing

@testable import ConsentBroker

/// Sessions and releases of the configuration.
@LoopActor @Suite(.aFewAtATime) struct ConfiguredSessionTests {
  private let fixture: BrokerFixture
  private let places: ConfiguredPlaces
  private var path: String { fixture.directory.path }

  init() async throws {
    fixture = try await BrokerFixture()
    places = ConfiguredPlaces(
      tokens: TokenFiles(Surroundings(environment: [:], uid: geteuid())),
      keys: SessionKeyFiles(in: fixture.directory.path, uid: geteuid()))
  }

  /// The configuration that a text makes; `TOKEN` in it is a file of the test's own.
  private func configuration(_ text: String) throws -> Configuration {
    var reading = ConfigurationReading()
    let text = text.replacing("TOKEN", with: path + "/token")
    ConfigurationFile.parse(Array(text.utf8), of: "f", into: &reading)
    #expect(reading.finish() == [])
    return reading.configuration
  }

  private func apply(_ text: String) async throws {
    try await fixture.broker.apply(try configuration(text), places)
  }

  private func tokens(_ text: String) throws { try write(text + "\n", to: path + "/token") }

  private func session(
    _ name: String = "work", node: String = TestNode.origin, more: String = ""
  ) -> String {
    """
    [Session \(name)]
    Node=\(node)
    Package=com.example.notes
    TokenFile=TOKEN
    TransportKey=\(String(repeating: "0f", count: 32))
    \(more)

    """
  }

  private func release(_ name: String, _ byte: String = "d0") -> String {
    "[Release \(name)]\n"
      + ReleaseKey.registers.map { "\($0.rawValue)=\(String(repeating: byte, count: 48))\n" }
      .joined()
  }

  private func published(_ name: String = "work") throws -> String {
    let text = String(decoding: try content(of: path + "/sessions/\(name)"), as: UTF8.self)
    #expect(text.last == "\n")
    return String(text.dropLast())
  }

  private func caller(_ name: String = "work") throws -> Caller {
    try fixture.broker.authenticate(key: published(name))
  }

  // MARK: A session's life

  @Test func aSessionIsOpenAndItsKeyIsPublished() async throws {
    fixture.watchNothing()
    try tokens("the-token")
    try await apply(session())
    #expect(try mode(of: path + "/sessions") == 0o700)
    #expect(try mode(of: path + "/sessions/work") == 0o600)
    let view = try fixture.broker.session(of: caller())
    #expect(view.session.hasPrefix("s_conf_"))
    #expect(view.package == "com.example.notes" && !view.needsSession)
    _ = try await fixture.start(caller())
    #expect(fixture.node.bearers == ["the-token"])
  }

  @Test func theKeyAndTheRequestsOutliveARestart() async throws {
    try tokens("the-token")
    try await apply(session())
    let key = try published()
    _ = try await fixture.start(caller())
    try await fixture.restart()
    // Until the configuration is applied, it is a session without tokens, as any is.
    #expect(try fixture.broker.session(of: caller()).needsSession)
    try await apply(session())
    #expect(try published() == key)
    #expect(try fixture.broker.session(of: caller()).needsSession == false)
    #expect(try await fixture.broker.get("rq-1", for: caller()).state == .started)
    #expect(fixture.broker.status().sessions == 1)
  }

  @Test func theRequestsOutliveTheKeyToo() async throws {
    try tokens("the-token")
    try await apply(session())
    let key = try published()
    _ = try await fixture.start(caller())
    try Files.unlink(path + "/sessions/work")
    try await fixture.restart()
    try await apply(session())
    #expect(try published() != key)
    #expect(await refusal { try fixture.broker.authenticate(key: key) } == "no session")
    #expect(try await fixture.broker.get("rq-1", for: caller()).state == .started)
  }

  @Test(arguments: ["", "short\n", "line\n\n"]) func aFileThatHoldsNoKeyIsReplaced(
    _ text: String
  ) async throws {
    try tokens("the-token")
    try FileManager.default.createDirectory(
      atPath: path + "/sessions", withIntermediateDirectories: false)
    try write(text, to: path + "/sessions/work")
    try await apply(session())
    #expect(try SessionKey.isOne(published()))
    _ = try caller()
  }

  @Test func aKeyThatOthersCouldReadIsReplaced() async throws {
    try tokens("the-token")
    try await apply(session())
    let key = try published()
    try Files.open(path + "/sessions/work", .write).setMode(0o640)
    try await apply(session())
    #expect(try published() != key)
    #expect(try mode(of: path + "/sessions/work") == 0o600)
  }

  @Test func takenOutOfTheConfigurationItIsClosed() async throws {
    try tokens("the-token")
    try await apply(session() + session("other"))
    let (key, work) = (try published(), try caller())
    _ = try await fixture.start(work)
    try await apply(session("other"))
    #expect(await refusal { try fixture.broker.authenticate(key: key) } == "no session")
    #expect(try await fixture.row("rq-1", work)?.state == .cancelled)
    #expect(try names(in: path + "/sessions") == ["other"])
    // Also when that happened while the daemon did not run.
    try await fixture.restart()
    try await apply("")
    #expect(fixture.broker.status().sessions == 0)
    #expect(try names(in: path + "/sessions") == [])
    // Put back, it has what it had.
    try await apply(session())
    #expect(try await fixture.broker.get("rq-1", for: caller()).state == .cancelled)
  }

  @Test func anotherNodeIsAnotherSession() async throws {
    try tokens("the-token")
    try await apply(session())
    let (key, before) = (try published(), try caller())
    _ = try await fixture.start(before)
    try await apply(session(node: "https://other.example"))
    #expect(try caller() != before)
    #expect(await refusal { try fixture.broker.authenticate(key: key) } == "no session")
    #expect(try await fixture.row("rq-1", before)?.state == .cancelled)
    #expect(await refusal { try await fixture.broker.get("rq-1", for: caller()) } == "notFound")
  }

  @Test func anotherAccountIsAnotherSession() async throws {
    let accounts = ["a1", "b2"].map { String(repeating: $0, count: 32) }
    try tokens("the-token")
    try await apply(session(more: "Account=\(accounts[0])"))
    let before = try caller()
    _ = try await fixture.start(before)
    try await apply(session(more: "Account=\(accounts[1])"))
    #expect(try caller() != before)
    #expect(try fixture.broker.session(of: caller()).account == accounts[1])
    #expect(try await fixture.row("rq-1", before)?.state == .cancelled)
  }

  @Test func otherOriginsLeaveItOpen() async throws {
    try tokens("the-token")
    try await apply(session())
    let (key, before) = (try published(), try caller())
    _ = try await fixture.start(before)
    try await apply(session(more: "Origin=https://notes.example"))
    #expect(try published() == key)
    #expect(try caller() == before)
    #expect(try fixture.broker.session(of: before).origins == ["https://notes.example"])
    #expect(try await fixture.broker.get("rq-1", for: before).state == .started)
    fixture.node.approve("rq-1")
    _ = try await fixture.broker.confirm(
      "rq-1", returned: "https://notes.example/?request_id=rq-1", for: before)
    #expect(try await fixture.row("rq-1", before)?.state == .approved)
  }

  @Test func anAppCannotCloseIt() async throws {
    try tokens("the-token")
    try await apply(session())
    #expect(
      await refusal { try await fixture.broker.closeSession(of: caller()) }
        == "sessionIsConfigured")
    _ = try caller()
  }

  @Test func itNeitherKeepsTheDaemonAwakeNorEndsUnused() async throws {
    let fixture = try await BrokerFixture(sessionTimeout: .milliseconds(1))
    let places = ConfiguredPlaces(tokens: places.tokens, keys: nil)
    try tokens("the-token")
    try await fixture.broker.apply(try configuration(session()), places)
    #expect(fixture.broker.status().sessions == 1)
    #expect(fixture.broker.status().configuredSessions == 1)
    #expect(fixture.broker.isIdle)
    // An app's session beside it does both, and its end tells that the round is over.
    _ = try await fixture.openSession()
    #expect(!fixture.broker.isIdle)
    fixture.broker.housekeeping.plan()
    while fixture.broker.status().sessions > 1 { try await LoopActor.sleep(for: .milliseconds(20)) }
    #expect(fixture.broker.status().configuredSessions == 1)
    #expect(fixture.broker.isIdle)
  }

  @Test func theyDoNotCountAgainstTheAppsLimit() async throws {
    try tokens("the-token")
    try await apply(session())
    for _ in 0..<BrokerLimits.sessions { _ = try await fixture.openSession() }
    #expect(fixture.broker.status().sessions == BrokerLimits.sessions + 1)
  }

  // MARK: One after the other

  /// What the disk postponed comes back while a newer one is being read.
  @Test(arguments: [["work"], ["work", "fresh"], []])
  func whatWasPostponedDoesNotUndoANewerOne(_ wanted: [String]) async throws {
    let broker = fixture.broker
    try tokens("the-token")
    try await apply(session())
    try await fixture.ledger.refuseSessions()
    let many = ["work"] + (1...5).map { "more\($0)" }
    try await apply(many.map { session($0) }.joined())
    #expect(broker.status().configuredSessions == 1 && broker.unapplied != nil)
    try await fixture.ledger.takeSessions()
    // It is in the middle of its sessions when the newer one is read.
    let disk = await HeldDisk(fixture.ledger)
    broker.applyAgain()
    await LoopActor.drain()
    let newer = Task.immediate { try await apply(wanted.map { session($0) }.joined()) }
    await LoopActor.drain()
    disk.release()
    try await newer.value
    // Each of its steps asks the disk once.
    for _ in 1...20 {
      _ = try await fixture.ledger.lastSequence()
      await LoopActor.drain()
    }
    #expect(broker.status().configuredSessions == wanted.count)
    #expect(try Set(names(in: path + "/sessions")) == Set(wanted))
    for name in wanted { _ = try caller(name) }
    #expect(broker.unapplied == nil)
  }

  // MARK: Tokens

  @Test func aTokenThatCannotBeReadLeavesItOpenWithoutOne() async throws {
    try await apply(session())
    #expect(try fixture.broker.session(of: caller()).needsSession)
    let log = fixture.records.text
    #expect(log.contains("f:4: the TokenFile \(path)/token cannot be read"))
    // The app may bring its own, and a later reading of the file as well.
    try tokens("late")
    try await apply(session())
    #expect(try fixture.broker.session(of: caller()).needsSession == false)
  }

  @Test func theFilesTokenDoesNotReplaceANewerOne() async throws {
    try tokens("old")
    try await apply(session())
    _ = try await fixture.broker.replaceTokens(
      of: caller(), with: SessionTokens(accessToken: "new"))
    try await apply(session())
    _ = try await fixture.start(caller())
    try tokens("newest")
    try await apply(session())
    _ = try await fixture.start(caller())
    #expect(fixture.node.bearers.compactMap(\.self).filter { $0 != "old" }.contains("new"))
    #expect(fixture.node.bearers.last == "newest")
    #expect(!fixture.node.bearers.contains("old"))
  }

  @Test func refusedTokensAreReadAgain() async throws {
    try tokens("old")
    try await apply(session())
    try tokens("renewed")
    fixture.node.tokensAreRefused = true
    #expect(await refusal { try await fixture.start(caller()) } == "SESSION_EXPIRED")
    fixture.node.tokensAreRefused = false
    while try fixture.broker.session(of: caller()).needsSession {
      try await LoopActor.sleep(for: .milliseconds(5))
    }
    _ = try await fixture.start(caller())
    #expect(fixture.node.bearers.last == "renewed")
  }

  // MARK: Releases

  @Test func anAppThatSaysNothingMeansTheConfiguredReleases() async throws {
    let (none, _) = try await fixture.openSession(trust: nil)
    #expect(try fixture.broker.session(of: none).trust == .node(.unconfigured))
    try await apply(release("a") + release("b"))
    let (all, _) = try await fixture.openSession(trust: nil)
    #expect(try fixture.broker.session(of: all).trust == .releases(nil))
    let (one, _) = try await fixture.openSession(trust: .releases(["b"]))
    #expect(try fixture.broker.session(of: one).trust == .releases(["b"]))
    #expect(fixture.broker.status().releases == ["a", "b"])
    #expect(
      await refusal { try await fixture.openSession(trust: .releases(["b", "c"])) }
        == "invalid node.trust.releases")
  }

  @Test func withoutReleasesThereIsNothingToTrust() async throws {
    #expect(
      await refusal { try await fixture.openSession(trust: .releases(nil)) } == "NODE_UNTRUSTED")
    #expect(fixture.broker.status().sessions == 0)
  }

  /// It is on its way to the disk while they are read again.
  @Test func whatIsTrustedNowHoldsForASessionThatIsBeingOpened() async throws {
    try await apply(release("a"))
    let disk = await HeldDisk(fixture.ledger)
    let opening = Task.immediate { try await fixture.openSession(trust: .releases(nil)) }
    #expect(fixture.trusts.count == 1)
    try await apply(release("b", "e1"))
    disk.release()
    _ = try await opening.value
    guard case .measurements(let images, _)?? = fixture.node.trusts.last else {
      return #expect(Bool(false), "nothing was changed")
    }
    #expect(images.map(\.name) == ["b"])
  }

  @Test func whatIsTrustedNowHoldsForOpenSessions() async throws {
    try await apply(release("a"))
    let (caller, _) = try await fixture.openSession(trust: .releases(nil))
    let (pinned, _) = try await fixture.openSession()
    #expect(fixture.trusts.last == .transportKey(String(repeating: "0f", count: 32)))
    try await apply(release("b", "e1"))
    guard case .measurements(let images, _)?? = fixture.node.trusts.last else {
      return #expect(Bool(false), "nothing was changed")
    }
    #expect(images.map(\.name) == ["b"])
    #expect(images.first?.mrtd == String(repeating: "e1", count: 48))
    #expect(fixture.node.trusts.count == 1 && fixture.trusts.count == 2)
    _ = try await fixture.start(caller)
    // With none left, its node is not asked any more.
    try await apply("")
    #expect(try fixture.broker.session(of: caller).needsSession)
    #expect(try fixture.broker.session(of: pinned).needsSession == false)
    #expect(fixture.node.trusts.count == 2 && fixture.node.trusts.last == .some(nil))
    // Nobody has to bring tokens for one that is there again.
    try await apply(release("c", "f2"))
    #expect(try fixture.broker.session(of: caller).needsSession == false)
    _ = try await fixture.start(caller)
  }
}
