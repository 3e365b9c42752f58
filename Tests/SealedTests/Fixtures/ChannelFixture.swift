import Crypto
import Sealed

/// A channel, the node at its other end, and the clock between them.
struct ChannelFixture: Sendable {
  let node = FakeNode()
  let clock = ManualClock()
  let verifier = FakeVerifier()
  let channel: SealedChannel

  enum Trust { case pinned, attested, nothing }

  init(_ trust: Trust = .pinned) async {
    let keyTrust: KeyTrust =
      switch trust {
      case .pinned: .pinned(await node.transportKey)
      case .attested: .attested(verifier)
      case .nothing: .nothing
      }
    channel = SealedChannel(on: node, carrier: node, trust: keyTrust, clock: clock.sealed)
  }

  /// Sends a request, and answers the body as text: the path, from a node that behaves.
  @discardableResult
  func get(_ path: String = "/a") async throws(SealedError) -> String {
    let response = try await channel.send(SealedRequest(method: "GET", path: path))
    return String(decoding: response.body, as: UTF8.self)
  }

  /// The error of a request that must fail.
  func failure(_ path: String = "/a") async -> SealedError? {
    do { try await get(path) } catch { return error }
    return nil
  }
}
