import FoundationEssentials
import MeroConsent
import Testing

@Suite struct WaitForConsentTests {
  let time = TestClock()

  /// A node that decides after `elapsed` of the test's clock.
  func node(
    deciding answer: NodeReply, after elapsed: Duration,
    until then: NodeReply = .json(Fixture.resultJSON("pending"))
  ) -> ScriptedNode {
    let time = time
    return ScriptedNode { call, _ throws(ConsentError) in
      if call.method == "POST" { return .json(Fixture.startedJSON()) }
      return time.elapsed >= elapsed ? answer : then
    }
  }

  func wait(
    _ node: ScriptedNode, for started: ConsentStarted = Fixture.started, chance: Double = 0
  ) async throws -> Result<ConsentResult, ConsentError> {
    let client = try Fixture.client(node, clock: time.clock(chance: chance))
    do throws(ConsentError) {
      return .success(try await client.waitForConsent(started))
    } catch {
      return .failure(error)
    }
  }

  @Test func readsAtOnce() async throws {
    let result = try await wait(node(deciding: .json(Fixture.approvedOrg), after: .zero))
    #expect(try result.get().orgId == "org-1")
    #expect(time.pauses.isEmpty)
  }

  @Test func growsByHalfFromOneSecondToFifteen() async throws {
    let result = try await wait(node(deciding: .json(Fixture.approvedOrg), after: .seconds(100)))
    #expect(try result.get().status == .approved)
    let seconds = time.pauses.map { $0 / .seconds(1) }
    let expected = [1, 1.5, 2.25, 3.375, 5.0625, 7.59375, 11.390625, 15, 15, 15, 15, 15]
    #expect(seconds.count == expected.count)
    for (pause, wanted) in zip(seconds, expected) { #expect(abs(pause - wanted) < 1e-9) }
  }

  @Test(arguments: [(1, 1.0), (20, 20), (60, 60), (61, 60), (1_000_000, 60)])
  func waitsAsLongAsTheNodeAsksWithinBounds(_ asked: Int, _ waited: Double) async throws {
    let busy = NodeReply(status: 503, retryAfter: asked)
    let decided = NodeReply.json(Fixture.approvedOrg)
    let result = try await wait(node(deciding: decided, after: .milliseconds(1), until: busy))
    #expect(try result.get().status == .approved)
    #expect(time.pauses == [.seconds(waited)])
  }

  @Test func jittersByATenthAtMost() async throws {
    _ = try await wait(
      node(deciding: .json(Fixture.approvedOrg), after: .seconds(100)), chance: 1)
    let seconds = time.pauses.map { $0 / .seconds(1) }
    #expect(abs(seconds[0] - 0.9) < 1e-9)
    #expect(abs(try #require(seconds.last) - 13.5) < 1e-9)
  }

  @Test func answersADecline() async throws {
    let result = try await wait(
      node(deciding: .json(Fixture.resultJSON("declined")), after: .seconds(3)))
    #expect(try result.get().status == .declined)
  }

  @Test func endsWhenItIsReplaced() async throws {
    let result = try await wait(node(deciding: .json("", status: 404), after: .seconds(10)))
    #expect(result == .failure(ConsentError(.replaced)))
    #expect(time.elapsed < .seconds(20))
  }

  /// What may come instead of a result without ending the wait.
  static let failures: [NodeReply] = [
    .json("", status: 500), .json("", status: 302), .json("<html></html>"), .json("{}"),
    .json("null"), .json(Fixture.resultJSON("APPROVED")), .json(Fixture.resultJSON("approved")),
    .json(Fixture.approvedOrg.replacing("rq-1", with: "rq-2")), .json("", status: 401),
    .json(String(Fixture.approvedOrg.dropLast(20))),
  ]

  @Test(arguments: failures.indices)
  func aFailedReadDoesNotEndTheWait(index: Int) async throws {
    let result = try await wait(
      node(
        deciding: .json(Fixture.approvedOrg), after: .seconds(30), until: Self.failures[index]))
    #expect(try result.get().orgId == "org-1")
  }

  @Test func anUnreachableNodeDoesNotEndTheWait() async throws {
    let time = time
    let node = ScriptedNode { _, _ throws(ConsentError) in
      guard time.elapsed > .seconds(60) else { throw ConsentError(.nodeUnreachable) }
      return .json(Fixture.approvedOrg)
    }
    #expect(try await wait(node).get().orgId == "org-1")
  }

  @Test func readsOnceMoreAtTheEndAndIsExpired() async throws {
    let node = node(deciding: .json(Fixture.resultJSON("pending")), after: .zero)
    #expect(try await wait(node) == .failure(ConsentError(.expired)))
    #expect(time.elapsed == .seconds(300))
    #expect(await node.calls.count == time.pauses.count + 1)
  }

  @Test func isExpiredWhenTheNodeHasForgottenIt() async throws {
    let result = try await wait(node(deciding: .json("", status: 404), after: .seconds(300)))
    #expect(result == .failure(ConsentError(.expired)))
  }

  @Test func deliversADecisionInTheLastMoment() async throws {
    let result = try await wait(node(deciding: .json(Fixture.approvedOrg), after: .seconds(300)))
    #expect(try result.get().status == .approved)
    #expect(time.elapsed == .seconds(300))
  }

  @Test func saysWhyTheLastReadFailed() async throws {
    let node = ScriptedNode { _, _ throws(ConsentError) in throw ConsentError(.nodeUnreachable) }
    #expect(try await wait(node) == .failure(ConsentError(.nodeUnreachable)))
    #expect(time.elapsed == .seconds(300))
  }

  @Test func readsARequestOnceWhoseTimeIsUp() async throws {
    let old = ConsentStarted(
      requestId: "rq-1", url: Fixture.started.url, code: "7QF2-XK",
      expiresAt: TestClock.noon.addingTimeInterval(-1), kind: .createOrg)
    let late = node(deciding: .json(Fixture.approvedOrg), after: .zero)
    #expect(try await wait(late, for: old).get().status == .approved)
    let pending = node(deciding: .json(Fixture.resultJSON("pending")), after: .zero)
    #expect(try await wait(pending, for: old) == .failure(ConsentError(.expired)))
    #expect(time.pauses.isEmpty)
  }

  @Test func waitsAsLongAsTheRequestLives() async throws {
    let long = ConsentStarted(
      requestId: "rq-1", url: Fixture.started.url, code: "7QF2-XK",
      expiresAt: TestClock.noon.addingTimeInterval(900), kind: .createOrg)
    let node = node(deciding: .json(Fixture.approvedOrg), after: .seconds(800))
    #expect(try await wait(node, for: long).get().status == .approved)
  }

  @Test func waitsForADayAtMost() async throws {
    let long = ConsentStarted(
      requestId: "rq-1", url: Fixture.started.url, code: "7QF2-XK",
      expiresAt: TestClock.noon.addingTimeInterval(1e9), kind: .createOrg)
    let node = node(deciding: .json(Fixture.resultJSON("pending")), after: .zero)
    #expect(try await wait(node, for: long) == .failure(ConsentError(.expired)))
    #expect(time.elapsed == .seconds(86_400))
  }

  @Test(arguments: [-600.0, 600.0])
  func goesByTheNodesClock(offset: Double) async throws {
    // This machine is `offset` ahead of the node, which gives five minutes.
    let nodeNow = TestClock.noon.addingTimeInterval(-offset)
    let expiry = RFC3339.text(nodeNow.addingTimeInterval(300))
    let node = ScriptedNode { call, _ throws(ConsentError) in
      call.method == "POST"
        ? .json(Fixture.startedJSON(expiresAt: "\"\(expiry)\""), date: nodeNow)
        : .json(Fixture.resultJSON("pending"))
    }
    let client = try Fixture.client(node, clock: time.clock())
    let started = try await client.requestConsent(.createOrg(name: "n"))
    #expect(await code { try await client.waitForConsent(started) } == .expired)
    #expect(time.elapsed == .seconds(300))
  }

  /// What another client has started ends by the node's clock too: this machine's says nothing of it.
  @Test(
    arguments: [-3600.0, 0, 3600],
    [NodeReply.json(Fixture.resultJSON("pending")), .json("", status: 404)])
  func whatAnotherClientStartedEndsByTheNodesClock(offset: Double, last: NodeReply) async throws {
    let (time, nodeNow) = (time, TestClock.noon.addingTimeInterval(-offset))
    let node = ScriptedNode { _, _ throws(ConsentError) in
      var reply =
        time.elapsed >= .seconds(300) ? last : NodeReply.json(Fixture.resultJSON("pending"))
      reply.date = nodeNow.addingTimeInterval((time.elapsed / .seconds(1)).rounded(.down))
      return reply
    }
    let started = ConsentStarted(
      requestId: "rq-1", url: Fixture.started.url, code: "7QF2-XK",
      expiresAt: nodeNow.addingTimeInterval(300), kind: .createOrg)
    #expect(try await wait(node, for: started) == .failure(ConsentError(.expired)))
    #expect(time.elapsed >= .seconds(300) && time.elapsed <= .seconds(302))
  }

  @Test(arguments: [-3600.0, 0, 3600])
  func whatIsGoneBeforeTheNodesEndIsReplaced(offset: Double) async throws {
    let nodeNow = TestClock.noon.addingTimeInterval(-offset)
    let node = ScriptedNode { _, _ throws(ConsentError) in .json("", status: 404, date: nodeNow) }
    let started = ConsentStarted(
      requestId: "rq-1", url: Fixture.started.url, code: "7QF2-XK",
      expiresAt: nodeNow.addingTimeInterval(300), kind: .createOrg)
    #expect(try await wait(node, for: started) == .failure(ConsentError(.replaced)))
  }

  @Test func waitsForADayAtMostWhateverTheNodesClockSays() async throws {
    let node = ScriptedNode { _, _ throws(ConsentError) in
      .json(Fixture.resultJSON("pending"), date: TestClock.noon)
    }
    #expect(try await wait(node) == .failure(ConsentError(.expired)))
    #expect(time.elapsed == .seconds(86_400))
  }

  @Test func endsWithItsTaskWhileItSleeps() async throws {
    let node = node(deciding: .json(Fixture.resultJSON("pending")), after: .zero)
    let client = try Fixture.client(node, clock: .system)
    let task = Task { await code { try await client.waitForConsent(Self.longLived()) } }
    while await node.calls.isEmpty { await Task.yield() }
    task.cancel()
    #expect(await task.value == .cancelled)
  }

  @Test func endsWhenTheClientIsClosedWhileItSleeps() async throws {
    let node = node(deciding: .json(Fixture.resultJSON("pending")), after: .zero)
    let client = try Fixture.client(node, clock: .system)
    let task = Task { await code { try await client.waitForConsent(Self.longLived()) } }
    while await node.calls.isEmpty { await Task.yield() }
    await client.close()
    #expect(await task.value == .cancelled)
    #expect(await node.calls.count == 1)
  }

  static func longLived() -> ConsentStarted {
    ConsentStarted(
      requestId: "rq-1", url: Fixture.started.url, code: "7QF2-XK",
      expiresAt: Date().addingTimeInterval(3600), kind: .createOrg)
  }
}
