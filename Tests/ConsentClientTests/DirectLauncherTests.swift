import EventLoop
import Glibc
import HTTP
import MeroConsent
import Testing

@testable import ConsentClient
@testable import DevelopmentNode

/// The launcher without a daemon: the app's own callback, on real ports.
@Suite(.timeLimit(.minutes(2))) @LoopActor struct DirectLauncherTests {
  let node: DevelopmentNode
  let client: MeroClient

  init() throws {
    node = try DevelopmentNode()
    node.start()
    client = try MeroClient(
      node: NodeAddress("http://127.0.0.1:\(node.port)"), trust: .development,
      tokens: SessionTokens(accessToken: node.tokens.access, refreshToken: node.tokens.refresh))
  }

  func end() async {
    await client.close()
    await node.stop()
  }

  /// A request that waits, with its page "opened", and the port and path of its return.
  func ask(
    port: UInt16, refused: ConsentLauncher.Refused? = nil
  ) async throws -> (run: DirectRun, decision: Task<ConsentLauncher.Decision, any Error>) {
    let opened = Signal()
    let run = try await DirectRun(
      .createOrg(name: "Acme"), callback: .loopback(port: port, path: "return"), with: client
    ) { _, _ in opened.fire() }
    let decision = Task {
      try await ConsentLauncher.decide(run, nil, nil, refused) as ConsentLauncher.Decision
    }
    await opened.wait()
    return (run, decision)
  }

  @Test func aReturnEndsTheWaitAtOnceAndThePageSaysWhatTheNodeSaid() async throws {
    let port = freePort()
    let (run, decision) = try await ask(port: port)
    try node.decide(run.started.requestId, .approve)
    // What the query says about the decision is not believed.
    let page = try await Person.visit(
      port: port, "/return", query: "request_id=\(run.started.requestId)&result=declined")
    #expect(page.state == "approved" && page.status == 200)
    let (started, result) = try await decision.value
    #expect(result.status == .approved && result.requestId == started.requestId)
    await end()
  }

  /// Connections of another user, who are there before and say nothing.
  @Test(.enabled(if: geteuid() == 0, "only root can give a socket to another user"))
  func anotherUserHoldsNoneOfThePlaces() async throws {
    let port = freePort()
    let (run, decision) = try await ask(port: port)
    try node.decide(run.started.requestId, .approve)
    var theirs: [Int32] = []
    defer { for number in theirs { close(number) } }
    for _ in 1...200 {
      theirs.append(socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0))
      #expect(fchown(theirs[theirs.count - 1], 4000, 4000) == 0)
      try SocketAddress.loopback4(port: port).withKernelForm { form, length throws(SystemError) in
        #expect(connect(theirs[theirs.count - 1], form, length) == 0 || errno == EINPROGRESS)
      }
    }
    let page = try await Person.visit(
      port: port, "/return", query: "request_id=\(run.started.requestId)")
    #expect(page.state == "approved" && page.status == 200)
    #expect(try await decision.value.1.status == .approved)
    await end()
  }

  @Test func whereNobodySaysWhereThePageLeadsItLeadsHere() async throws {
    let (run, decision) = try await ask(port: 0)
    let record = try node.decide(run.started.requestId, .decline)
    let returnTo = try #require(record.request.returnTo)
    let match = try #require(
      returnTo.wholeMatch(of: #/http://127\.0\.0\.1:([0-9]+)(/return/[0-9a-f]{32})/#))
    let port = try #require(UInt16(match.1))
    #expect(try await Person.visit(port: port, String(match.2)).state == "declined")
    #expect(try await decision.value.result.status == .declined)
    await end()
  }

  @Test func aMismatchIsNeverAccepted() async throws {
    let port = freePort()
    let told = Told()
    let (run, decision) = try await ask(port: port) { await told.note($0) }
    let ticketless = try await Person.visit(
      port: port, "/return", query: "request_id=another&result=approved")
    #expect(ticketless.state == "mismatch" && ticketless.status == 409)
    let path = try #require(run.returnPath)
    let ticketed = try await Person.visit(
      port: port, path, query: "request_id=another&result=approved")
    #expect(ticketed.state == "mismatch")
    #expect(told.codes.map(\.rawValue) == ["CONSENT_REQUEST_MISMATCH"])
    try node.decide(run.started.requestId, .approve)
    // And it used nothing up.
    #expect(try await Person.visit(port: port, path).state == "approved")
    #expect(try await decision.value.result.status == .approved)
    await end()
  }

  @Test func aReturnBeforeTheDecisionIsToldAndTheWaitGoesOn() async throws {
    let port = freePort()
    let told = Told()
    let (run, decision) = try await ask(port: port) { await told.note($0) }
    let page = try await Person.visit(port: port, "/return")
    #expect(page.state == "not-decided" && page.status == 409)
    #expect(told.codes.map(\.rawValue) == ["CONSENT_NOT_DECIDED"])
    try node.decide(run.started.requestId, .approve)
    #expect(try await Person.visit(port: port, "/return").state == "approved")
    #expect(try await decision.value.result.status == .approved)
    await end()
  }

  @Test(
    arguments: [
      (["Sec-Purpose": "prefetch"], nil, 204), (["Sec-Fetch-Mode": "cors"], nil, 403),
      (["Origin": "https://evil.example"], nil, 403), ([:], "evil.example", 421),
    ] as [(HTTPHeaders, String?, Int)])
  func confirmsNothingButANavigationToItsOwnAddress(
    _ headers: HTTPHeaders, _ host: String?, _ status: Int
  ) async throws {
    let port = freePort()
    let (run, decision) = try await ask(port: port)
    try node.decide(run.started.requestId, .approve)
    let page = try await Person.visit(port: port, "/return", headers: headers, host: host)
    #expect(page.status == status)
    #expect(
      try await Person.visit(port: port, "/return/00000000000000000000000000000000").status == 404)
    decision.cancel()
    _ = try await decision.value
    await end()
  }

  @Test func aDecisionIsFoundWithoutAReturnAndTheCallbackStaysForIt() async throws {
    let port = freePort()
    let (run, decision) = try await ask(port: port)
    try node.decide(run.started.requestId, .approve)
    #expect(try await decision.value.result.status == .approved)
    #expect(try await Person.visit(port: port, "/return").state == "approved")
    await end()
  }

  @Test func aCancelledLauncherAnswersTheResultAsItStandsAndLetsGoOfThePort() async throws {
    let port = freePort()
    let (_, decision) = try await ask(port: port)
    decision.cancel()
    #expect(try await decision.value.result.status == .pending)
    while let listener = try? Listener.loopback4(port: port) {
      listener.close()
      break
    }
    await end()
  }

  @Test func aTakenPortIsSaidBeforeTheNodeIsAsked() async throws {
    let foreign = try Listener.loopback6(port: 0)
    let port = try #require(foreign.port)
    do throws(BrokerError) {
      _ = try await ConsentLauncher.decide(
        client: client, request: .createOrg(name: "Acme"),
        callback: .loopback(port: port, path: "return"))
      Issue.record("no error")
    } catch {
      #expect(error.consentCode == .configurationInvalid && error.advice.contains("\(port)"))
    }
    #expect(node.state.calls[.request] == nil)
    foreign.close()
    await end()
  }

  @Test func requestsAtTheSameTimeShareAPort() async throws {
    let port = freePort()
    let (first, replaced) = try await ask(port: port)
    let (second, decision) = try await ask(port: port)
    try node.decide(second.started.requestId, .approve)
    let page = try await Person.visit(
      port: port, "/return", query: "request_id=\(second.started.requestId)")
    #expect(page.state == "approved")
    #expect(try await decision.value.result.status == .approved)
    let old = try await Person.visit(
      port: port, "/return", query: "request_id=\(first.started.requestId)")
    #expect(old.state == "replaced" && old.status == 410)
    await #expect(throws: BrokerError(ConsentError(.replaced))) { _ = try await replaced.value }
    await end()
  }

  @Test func aPortCanBeAskedForAgainAtOnce() async throws {
    let port = freePort()
    for _ in 1...20 {
      let (started, result) = try await ConsentLauncher.decide(
        client: client, request: .createOrg(name: "Acme"),
        callback: .loopback(port: port, path: "return"), confirm: { _ in false })
      #expect(result.status == .pending && !started.code.isEmpty)
      try await LoopActor.sleep(for: .zero)  // whoever lingers not at all has gone
    }
    await end()
  }

  @Test func aSessionRemembersItsRequestForALaterReturn() async throws {
    let session = MeroAppSession(
      route: .direct(client), callback: .scheme("notes", path: "return"))
    #expect(await !session.handle("notes://return?request_id=x"))
    let asked = try await session.requestConsent(.createOrg(name: "Acme")) { _ in false }
    #expect(asked.status == .pending && session.revision == 0)
    #expect(await session.handle("notes://return?request_id=\(asked.requestId)"))
    #expect(session.consentError?.consentCode == .notDecided)
    try node.decide(asked.requestId, .approve)
    #expect(await session.handle("notes://return?request_id=another"))
    #expect(session.consentError?.consentCode == .requestMismatch && session.revision == 0)
    for _ in 1...2 {
      #expect(await session.handle("notes://return?request_id=\(asked.requestId)"))
      #expect(session.consentResult?.status == .approved && session.revision == 1)
    }
    await end()
  }

  @Test func aPageThatCannotBeOpenedLeavesTheRequest() async throws {
    let run = try await DirectRun(
      .createOrg(name: "Acme"), callback: .loopback(port: 0, path: "return"), with: client
    ) { _, started throws(ConsentError) in
      throw ConsentError(.browserUnavailable, started: started)
    }
    do throws(BrokerError) {
      _ = try await ConsentLauncher.decide(run, nil, nil, nil)
      Issue.record("no error")
    } catch {
      #expect(error.consentCode == .browserUnavailable && error.started == run.started)
    }
    await end()
  }

  @Test func aPageThatCannotBeOpenedIsWaitedForWhereTheAppShowsItsLink() async throws {
    let run = try await DirectRun(
      .createOrg(name: "Acme"), callback: .loopback(port: 0, path: "return"), with: client
    ) { _, started throws(ConsentError) in
      throw ConsentError(.browserUnavailable, started: started)
    }
    let decision = try await ConsentLauncher.decide(
      run, nil,
      { @LoopActor [node] started in
        (try? node.decide(started.requestId, .approve)) != nil
      }, nil)
    #expect(decision.result.status == .approved)
    await end()
  }
}

@LoopActor private final class Told {
  private(set) var codes: [BrokerError.Code] = []

  func note(_ code: BrokerError.Code) { codes.append(code) }
}
