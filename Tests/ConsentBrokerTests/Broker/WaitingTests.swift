import Callback
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@LoopActor @Suite(.aFewAtATime) struct WaitingTests {
  @Test func aWaitIsAnsweredAsSoonAsAnythingChanges() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let wait = Task { try await fixture.wait(caller, from: view.etag, for: .seconds(60)) }
    try await LoopActor.until { fixture.broker.status().waits == 1 }
    _ = try await fixture.broker.cancel("rq-1", for: caller)
    #expect(try await wait.value?.state == .cancelled)
    #expect(fixture.broker.status().waits == 0)
  }

  @Test func aWaitWithAnOldTagIsAnsweredAtOnce() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    _ = try await fixture.start(caller)
    #expect(try await fixture.wait(caller, from: "\"old\"", for: .seconds(60))?.state == .started)
  }

  @Test func aWaitEndsUnchangedWhenItsTimeIsUp() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let began = BootInstant.now
    let result = try await fixture.broker.wait(
      for: "rq-1", changedFrom: view.etag, until: began + .milliseconds(200), for: caller)
    guard case .unchanged(let etag) = result else {
      Issue.record("changed")
      return
    }
    #expect(etag == view.etag)
    #expect(BootInstant.now - began >= .milliseconds(200))
  }

  @Test func noChangeFallsBetweenLookingAndWaiting() async throws {
    // C-112: the decision comes at every point between the client's look and its sleep.
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    for round in 1...200 {
      let view = try await fixture.start(caller)
      let wait = Task {
        try await fixture.broker.wait(
          for: view.requestId, changedFrom: view.etag, until: .now + .seconds(60), for: caller)
      }
      for _ in 0..<(round % 7) { await Task.yield() }
      _ = try await fixture.broker.cancel(view.requestId, for: caller)
      guard case .changed(let seen) = try await wait.value else {
        Issue.record("missed in round \(round)")
        return
      }
      #expect(seen.state == .cancelled)
    }
  }

  @Test func aRefusedReturnWakesAWaitAndARepeatedOneDoesNot() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let ticket = try fixture.ticket(of: view)
    #expect(await fixture.page(ticket, "request_id=x") == .mismatch)
    let seen = try await fixture.wait(caller, from: view.etag, for: .seconds(60))
    #expect(seen?.lastReturn?.code == "CONSENT_REQUEST_MISMATCH")
    #expect(seen?.state == .started)
    #expect(await fixture.page(ticket, "request_id=x") == .mismatch)
    let etag = try #require(seen?.etag)
    #expect(try await fixture.wait(caller, from: etag, for: .milliseconds(200)) == nil)
  }

  @Test func aClientThatLeavesFreesItsPlace() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let wait = Task { try await fixture.wait(caller, from: view.etag, for: .seconds(60)) }
    try await LoopActor.until { fixture.broker.status().waits == 1 }
    wait.cancel()
    _ = try await wait.value
    #expect(fixture.broker.status().waits == 0)
  }

  @Test func aSessionHasOnlySoManyWaits() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let waits = (1...fixture.waits.ofASession).map { _ in
      Task { try await fixture.wait(caller, from: view.etag, for: .seconds(60)) }
    }
    try await LoopActor.until { fixture.broker.status().waits == waits.count }
    #expect(
      await refusal { try await fixture.wait(caller, from: view.etag, for: .zero) }
        == "tooMany waits")
    // Another session is not in the way of it.
    let (other, _) = try await fixture.openSession()
    let theirs = try await fixture.start(other)
    #expect(
      await refusal {
        try await fixture.broker.wait(
          for: theirs.requestId, changedFrom: theirs.etag, until: .now, for: other)
      } == nil)
    _ = try await fixture.broker.cancel("rq-1", for: caller)
    for wait in waits { _ = try await wait.value }
  }

  @Test func allSessionsTogetherHaveOnlySoManyWaits() async throws {
    let fixture = try await BrokerFixture()
    let limits = fixture.waits
    var waits: [Wait] = []
    defer { for wait in waits { wait.end(.unchanged) } }
    func wait(_ caller: Caller, _ view: RequestView) throws -> Wait {
      try fixture.broker.wait(
        for: view.requestId, changedFrom: view.etag, isCurrent: true, until: .now + .seconds(600),
        for: caller, onEnd: { _ in })
    }
    for _ in 1...(limits.all / limits.ofASession) {
      let (caller, _) = try await fixture.openSession()
      let view = try await fixture.start(caller)
      for _ in 1...limits.ofASession { waits.append(try wait(caller, view)) }
    }
    #expect(fixture.broker.status().waits == limits.all)
    let (another, _) = try await fixture.openSession()
    let theirs = try await fixture.start(another)
    #expect(await refusal { try wait(another, theirs) } == "tooMany waits")
    waits.removeLast().end(.unchanged)
    waits.append(try wait(another, theirs))
  }

  @Test func aStopEndsEveryWait() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let wait = Task {
      await refusal { try await fixture.wait(caller, from: view.etag, for: .seconds(60)) }
    }
    try await LoopActor.until { fixture.broker.status().waits == 1 }
    fixture.broker.stop()
    #expect(await wait.value == "stopping")
    #expect(await refusal { try await fixture.start(caller) } == "stopping")
  }

  @Test func closingTheSessionEndsItsWaits() async throws {
    let fixture = try await BrokerFixture()
    let (caller, key) = try await fixture.openSession()
    let view = try await fixture.start(caller)
    let wait = Task {
      await refusal { try await fixture.wait(caller, from: view.etag, for: .seconds(60)) }
    }
    try await LoopActor.until { fixture.broker.status().waits == 1 }
    try await fixture.broker.closeSession(of: caller)
    #expect(await wait.value == "no session")
    #expect(await refusal { try fixture.broker.authenticate(key: key) } == "no session")
  }
}

/// What a wait ended with.
enum WaitResult {
  case changed(RequestView)
  case unchanged(etag: String)
}

extension Broker {
  /// Looks and then waits, as the local API does.
  func wait(
    for requestId: String, changedFrom etag: String, until deadline: BootInstant,
    for caller: Caller
  ) async throws(Problem) -> WaitResult {
    let view = try await get(requestId, for: caller)
    guard view.etag == etag else { return .changed(view) }
    let pending = Pending()
    pending.wait = try wait(
      for: requestId, changedFrom: etag, isCurrent: false, until: deadline, for: caller
    ) { pending.end($0) }
    switch await withTaskCancellationHandler(
      operation: { await pending.value() },
      onCancel: { Task { @LoopActor in pending.wait?.end(.unchanged) } })
    {
    case .changed(let shared): return .changed(shared.view)
    case .unchanged: return .unchanged(etag: etag)
    case .failed(let problem): throw problem
    }
  }
}

/// A wait as a task sees it.
@LoopActor private final class Pending {
  var wait: Wait?
  private var result: Wait.End?
  private var sleeper: UnsafeContinuation<Void, Never>?

  func end(_ end: Wait.End) {
    result = end
    sleeper?.resume()
  }

  func value() async -> Wait.End {
    if result == nil { await withUnsafeContinuation { sleeper = $0 } }
    return result ?? .unchanged
  }
}

extension BrokerFixture {
  var waits: WaitLimits { BrokerSettings(version: "1").waits }

  /// - Returns: what the request has become, `nil` where nothing changed in time.
  func wait(_ caller: Caller, from etag: String, for time: Duration) async throws -> RequestView? {
    let result = try await broker.wait(
      for: "rq-1", changedFrom: etag, until: .now + time, for: caller)
    guard case .changed(let view) = result else { return nil }
    return view
  }

  /// Waits until it has ended, as an app does: on the way it is told of reads that fail.
  func end(_ caller: Caller, from etag: String, within time: Duration) async throws -> RequestView?
  {
    let deadline = BootInstant.now + time
    var etag = etag
    while let view = try await wait(caller, from: etag, for: deadline - .now) {
      if view.state.isFinal { return view }
      etag = view.etag
    }
    return nil
  }
}
