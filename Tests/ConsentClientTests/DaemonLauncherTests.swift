import ConsentClient
import DevelopmentNode
import EventLoop
import MeroConsent
import Observation
import Synchronization
import Testing

/// The launcher and the app's session through the daemon as it is built.
@Suite(.timeLimit(.minutes(2))) @LoopActor struct DaemonLauncherTests {
  @Test func showsTheCodeOpensThePageAndAnswersTheDecision() async throws {
    let daemon = try await RealDaemon()
    let session = try await daemon.openSession()
    let (started, result) = try await ConsentLauncher.decide(
      client: session, request: .createOrg(name: "Acme")
    ) { @LoopActor started in
      #expect(started.code.count >= 4 && daemon.openedPages.isEmpty)
      Task {
        while daemon.openedPages.isEmpty { try await LoopActor.sleep(for: .milliseconds(5)) }
        try daemon.node.decide(started.requestId, .approve)
      }
      return true
    }
    #expect(daemon.openedPages == [started.url])
    #expect(result.status == .approved && result.orgId != nil)
    #expect(result.requestId == started.requestId && result.changesOrganizations)
    try await daemon.end()
  }

  @Test func withoutAConfirmationThePageStaysClosed() async throws {
    let daemon = try await RealDaemon()
    let session = try await daemon.openSession()
    let (started, result) = try await ConsentLauncher.decide(
      client: session, request: .createOrg(name: "Acme"), confirm: { _ in false })
    #expect(result.status == .pending && result.requestId == started.requestId)
    #expect(daemon.openedPages.isEmpty)
    // It waits all the same, for an app that shows the link later.
    #expect(try await session.request(started.requestId).state == .started)
    try await daemon.end()
  }

  @Test func aCancelledLauncherAnswersTheResultAsItStands() async throws {
    let daemon = try await RealDaemon()
    let session = try await daemon.openSession()
    let asked = Task {
      try await ConsentLauncher.decide(client: session, request: .createOrg(name: "Acme"))
    }
    while try await daemon.client.status().waits == 0 {
      try await LoopActor.sleep(for: .milliseconds(5))
    }
    asked.cancel()
    let (started, result) = try await asked.value
    #expect(result.status == .pending)
    #expect(try await session.request(started.requestId).state == .started)
    try await daemon.end()
  }

  @Test func aReplacedRequestIsToldAsThat() async throws {
    let daemon = try await RealDaemon()
    let session = try await daemon.openSession()
    do throws(BrokerError) {
      _ = try await ConsentLauncher.decide(client: session, request: .createOrg(name: "a")) { _ in
        // A newer request of the same account.
        _ = try? await session.start(.createOrg(name: "b"))
        return true
      }
      Issue.record("no error")
    } catch {
      #expect(error.consentCode == .replaced, "\(error)")
    }
    try await daemon.end()
  }

  @Test func aSessionKeepsTheResultAndCountsChangesOnce() async throws {
    let daemon = try await RealDaemon()
    let session = MeroAppSession(
      route: .daemon(try await daemon.openSession()), callback: .scheme("notes", path: "return"))
    #expect(session.revision == 0 && session.consentResult == nil)
    let noted = Noted()
    withObservationTracking {
      _ = session.revision
    } onChange: {
      noted.note()
    }
    let result = try await session.requestConsent(.createOrg(name: "Acme")) { @LoopActor started in
      _ = try? daemon.node.decide(started.requestId, .approve)
      return true
    }
    #expect(noted.happened)
    #expect(session.consentResult == result && result.status == .approved)
    #expect(session.revision == 1 && session.consentError == nil)

    // The same decision once more, by the desktop's URL handler: it is no second change.
    let url = "notes://return?request_id=\(result.requestId)&result=approved"
    #expect(await session.handle(url))
    #expect(session.revision == 1 && session.consentResult == result)

    #expect(await session.handle("notes://return?request_id=another&result=approved"))
    #expect(session.consentError?.consentCode == .requestMismatch)
    #expect(session.consentResult == result)
    #expect(await !session.handle("other://return?request_id=\(result.requestId)"))
    #expect(await !session.handle("nonsense"))

    // A decline changes no organization.
    let declined = try await session.requestConsent(.createOrg(name: "B")) { @LoopActor started in
      _ = try? daemon.node.decide(started.requestId, .decline)
      return true
    }
    #expect(declined.status == .declined && session.revision == 1)
    try await daemon.end()
  }

  @Test func aReturnThatConfirmsNothingIsToldAndTheWaitGoesOn() async throws {
    let daemon = try await RealDaemon()
    let session = MeroAppSession(
      route: .daemon(try await daemon.openSession()), callback: .scheme("notes", path: "return"))
    let asked = Task { try await session.requestConsent(.createOrg(name: "Acme")) }
    while session.consentStarted == nil { try await LoopActor.sleep(for: .milliseconds(5)) }
    let id = try #require(session.consentStarted?.requestId)
    while try await daemon.client.status().waits == 0 {
      try await LoopActor.sleep(for: .milliseconds(5))
    }
    #expect(await session.handle("notes://return?request_id=\(id)&result=approved"))
    #expect(session.consentError?.consentCode == .notDecided)
    while session.refusedReturn == nil { try await LoopActor.sleep(for: .milliseconds(5)) }
    #expect(session.refusedReturn?.rawValue == "CONSENT_NOT_DECIDED")
    try daemon.node.decide(id, .approve)
    #expect(try await asked.value.status == .approved)
    #expect(session.revision == 1 && session.consentError == nil)
    try await daemon.end()
  }

  @Test func withoutADaemonTheSessionGoesItsOwnWay() async throws {
    let daemon = try await RealDaemon()
    let through = try await MeroAppSession.open(daemon.nodeSession, daemon: daemon.client)
    #expect(through.route.isDaemon)
    let alone = try await MeroAppSession.open(
      daemon.nodeSession, daemon: BrokerClient(socket: "/nonexistent/api.sock"))
    #expect(!alone.route.isDaemon)
    try await daemon.end()
  }
}

private final class Noted: Sendable {
  private let flag = Atomic<Bool>(false)

  var happened: Bool { flag.load(ordering: .relaxed) }

  func note() { flag.store(true, ordering: .relaxed) }
}

extension MeroAppSession.Route {
  fileprivate var isDaemon: Bool { if case .daemon = self { true } else { false } }
}
