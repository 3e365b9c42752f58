import DevelopmentNode
import EventLoop
import MeroConsent

/// A node that serves, and clients of its first account.
@LoopActor final class NodeAndClient {
  let node: DevelopmentNode
  let client: MeroClient
  private var clients: [MeroClient]

  private init(prefix: String) throws {
    var options = NodeOptions()
    try options.set(.prefix, to: prefix)
    node = try DevelopmentNode(options)
    node.start()
    client = try Self.client(of: node, .development)
    clients = [client]
  }

  /// A client that has talked to nobody yet.
  func another(
    _ trust: NodeTrust = .development, limits: CarrierLimits = CarrierLimits()
  ) throws -> MeroClient {
    let client = try Self.client(of: node, trust, limits)
    clients.append(client)
    return client
  }

  private static func client(
    of node: DevelopmentNode, _ trust: NodeTrust, _ limits: CarrierLimits = CarrierLimits()
  ) throws -> MeroClient {
    let address = try NodeAddress(node.state.place.base)
    return try MeroClient(
      node: address, trust: trust,
      tokens: SessionTokens(accessToken: node.tokens.access, refreshToken: node.tokens.refresh),
      origins: node.state.place.origins, returnTo: node.state.place.returnTo,
      carrier: { CurlCarrier(node: address, limits: limits) }, clock: .system)
  }

  static func serving(
    prefix: String = "", _ body: @LoopActor (NodeAndClient) async throws -> Void
  ) async throws {
    let it = try NodeAndClient(prefix: prefix)
    let result: Result<Void, any Error>
    do { result = .success(try await body(it)) } catch { result = .failure(error) }
    for client in it.clients { await client.close() }
    await it.node.stop()
    try result.get()
  }
}
