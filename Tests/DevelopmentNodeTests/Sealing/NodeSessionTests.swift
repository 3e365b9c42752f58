import Crypto
import DevelopmentNode
import EventLoop
import Sealed
import Testing

@Suite struct NodeSessionTests {
  /// Whether the node still knows the client's session at that moment.
  private func isKnown(
    _ client: inout SealingClient, request: UInt64, to node: inout NodeSealing, at now: BootInstant
  ) throws -> Bool {
    do throws(SealingRefusal) {
      _ = try node.open(client.request(request), at: now).request
      return true
    } catch {
      #expect(error == .unknownSession)
      return false
    }
  }

  @Test func endsASessionWithItsLifetime() throws {
    var node = NodeSealing()
    node.sessionLifetime = .seconds(90)
    var client = try SealingClient(with: &node, at: .noon)
    let lifetime = client.lifetime
    #expect(lifetime == 90)
    let end = BootInstant.noon + .seconds(90)
    #expect(try isKnown(&client, request: 1, to: &node, at: end + .nanoseconds(-1)))
    #expect(try !isKnown(&client, request: 2, to: &node, at: end))
    #expect(try !isKnown(&client, request: 3, to: &node, at: .noon), "gone is gone")
  }

  @Test func endsAnIdleSession() throws {
    var node = NodeSealing()
    var client = try SealingClient(with: &node, at: .noon)
    let later = BootInstant.noon + .seconds(600) + .nanoseconds(-1)
    #expect(try isKnown(&client, request: 1, to: &node, at: later))
    #expect(try isKnown(&client, request: 2, to: &node, at: later + .seconds(599)))
    #expect(try !isKnown(&client, request: 3, to: &node, at: later + .seconds(599 + 600)))
  }

  @Test func promisesAtLeastASecond() throws {
    var node = NodeSealing()
    node.sessionLifetime = .milliseconds(10)
    let lifetime = try SealingClient(with: &node, at: .noon).lifetime
    #expect(lifetime == 1)
  }

  @Test func forgetsOneSession() throws {
    var node = NodeSealing()
    var first = try SealingClient(with: &node, at: .noon)
    var second = try SealingClient(with: &node, at: .noon)
    node.forgetSession(of: try node.open(first.request(1), at: .noon))
    #expect(try !isKnown(&first, request: 2, to: &node, at: .noon))
    #expect(try isKnown(&second, request: 1, to: &node, at: .noon))
  }

  @Test func forgetsEverySession() throws {
    var node = NodeSealing()
    var first = try SealingClient(with: &node, at: .noon)
    var second = try SealingClient(with: &node, at: .noon)
    node.forgetSessions()
    #expect(try !isKnown(&first, request: 1, to: &node, at: .noon))
    #expect(try !isKnown(&second, request: 1, to: &node, at: .noon))
  }

  @Test func makesRoomForTheNewestSession() throws {
    var node = NodeSealing()
    var used = try SealingClient(with: &node, at: .noon)
    var idle = try SealingClient(with: &node, at: .noon + .seconds(1))
    for _ in 3...1024 { _ = try SealingClient(with: &node, at: .noon + .seconds(2)).lifetime }
    #expect(try isKnown(&used, request: 1, to: &node, at: .noon + .seconds(3)), "1024 fit")
    var newest = try SealingClient(with: &node, at: .noon + .seconds(4))
    #expect(try isKnown(&newest, request: 1, to: &node, at: .noon + .seconds(5)))
    #expect(try isKnown(&used, request: 2, to: &node, at: .noon + .seconds(5)))
    #expect(try !isKnown(&idle, request: 1, to: &node, at: .noon + .seconds(5)))
  }
}
