import Callback
import EventLoop
import HTTP
import Testing

@testable import ConsentBroker

/// What one app reads of the record keeps nothing of the others waiting: the disk is held, and what
/// is seen is the order in which things come when it is let go.
@LoopActor @Suite(.aFewAtATime) struct RecordReadingTests {
  /// More than a ledger has at a time.
  private static let many = 60

  @LoopActor private final class Order {
    var ends: [String] = []
  }

  /// Reads that nobody but the ledger can answer.
  private func reads(
    of caller: Caller, _ fixture: BrokerFixture, _ count: Int = many, as name: String,
    in order: Order
  ) -> [Task<String?, Never>] {
    (1...count).map { number in
      Task.immediate { @LoopActor in
        let end = await refusal {
          try await fixture.broker.get("none-\(number)", for: caller)
        }
        order.ends.append(name)
        return end
      }
    }
  }

  @Test func aVerdictIsWrittenBeforeReadsThatHaveNoTurn() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let (other, _) = try await fixture.openSession()
    let ticket = try fixture.ticket(of: try await fixture.start(caller))
    fixture.node.approve("rq-1")
    let order = Order()
    let disk = await HeldDisk(fixture.ledger)
    let reading = reads(of: other, fixture, as: "read", in: order)
    let page = Task.immediate { @LoopActor in
      let page = await fixture.page(ticket, "request_id=rq-1")
      order.ends.append("verdict")
      return page
    }
    // The node has answered; the verdict is on its way to the disk.
    let request = try #require(fixture.broker.live.of(ticket: ticket))
    try await LoopActor.until { request.unwritten != nil }
    await LoopActor.drain()
    disk.release()
    #expect(await page.value == .approved)
    for task in reading { #expect(await task.value == "notFound") }
    let place = try #require(order.ends.firstIndex(of: "verdict"))
    #expect(place < Self.many / 2, "\(order.ends)")
  }

  @Test func anotherAppsReadComesInItsTurn() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let (other, _) = try await fixture.openSession()
    let order = Order()
    let disk = await HeldDisk(fixture.ledger)
    let all =
      reads(of: other, fixture, as: "many", in: order)
      + reads(of: caller, fixture, 1, as: "one", in: order)
    disk.release()
    for task in all { #expect(await task.value == "notFound") }
    let place = try #require(order.ends.firstIndex(of: "one"))
    #expect(place < Self.many / 2, "\(order.ends)")
  }

  @Test func whatNobodyWantsAnyMoreIsNotRead() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let order = Order()
    let disk = await HeldDisk(fixture.ledger)
    let all = reads(of: caller, fixture, as: "read", in: order)
    for task in all { task.cancel() }
    // All but those that the ledger has are over while the disk does nothing at all.
    try await LoopActor.until { fixture.broker.reads.waiting == 0 }
    try await LoopActor.until { order.ends.count >= Self.many - 4 }
    disk.release()
    for task in all { #expect(["stopping", "notFound"].contains(await task.value)) }
  }

  @Test func theEndWaitsForNoReadsThatHaveNoTurn() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let order = Order()
    let disk = await HeldDisk(fixture.ledger)
    let all = reads(of: caller, fixture, as: "read", in: order)
    fixture.broker.stop()
    try await LoopActor.until { order.ends.count >= Self.many - 4 }
    disk.release()
    await fixture.broker.close()
    for task in all { #expect(["stopping", "notFound"].contains(await task.value)) }
  }

  @Test func anotherAppsListComesInItsTurn() async throws {
    let fixture = try await BrokerFixture()
    let (caller, _) = try await fixture.openSession()
    let (other, _) = try await fixture.openSession()
    let order = Order()
    func lists(_ caller: Caller, _ count: Int, _ name: String) -> [Task<Void, Never>] {
      (1...count).map { _ in
        Task.immediate { @LoopActor in
          let call = APICall(request: HTTPRequest(method: .get, path: "/v1/requests"), id: "")
          _ = try? await RequestsResource.list(call, of: caller, in: fixture.broker)
          order.ends.append(name)
        }
      }
    }
    let disk = await HeldDisk(fixture.ledger)
    let all = lists(other, Self.many, "many") + lists(caller, 1, "one")
    disk.release()
    for task in all { await task.value }
    #expect(try #require(order.ends.firstIndex(of: "one")) < Self.many / 2, "\(order.ends)")
  }
}
