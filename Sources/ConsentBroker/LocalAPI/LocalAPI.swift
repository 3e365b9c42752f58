package import EventLoop
package import HTTP

/// The daemon's API on its Unix socket: who connects, which route, whose call, what is answered.
///
/// What belongs to whom is decided in `Broker`; how a body is read, in the resources. Here is only
/// the edge, in this order: the peer, the origin, the path, the method, the key.
@LoopActor package final class LocalAPI: HTTPHandler {
  private let broker: Broker
  private let peers: PeerRule

  /// - Parameter uid: the user whose processes may call: the daemon's own.
  package init(broker: Broker, uid: UInt32) {
    self.broker = broker
    self.peers = PeerRule(uid: uid)
  }

  package func refuse(connection: HTTPConnectionInfo) -> HTTPResponse? {
    guard !peers.admits(connection.peer) else { return nil }
    return APIProblem(
      .peerRefused, "This socket answers only the processes of the user it belongs to."
    ).response
  }

  package func refuse(head: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPResponse? {
    // No web page can reach a Unix socket by itself, but a careless relay can bring one here.
    guard head.headers.contains(.origin) else { return nil }
    return APIProblem(
      .originRefused, "This socket answers programs, not web pages: send no Origin."
    ).response
  }

  package func respond(
    to request: HTTPRequest, on connection: HTTPConnectionInfo
  ) async -> HTTPResponse {
    do throws(APIProblem) {
      return try await answer(request)
    } catch {
      return error.response
    }
  }

  package func answer(
    to refusal: HTTPRefusal, on connection: HTTPConnectionInfo
  ) -> HTTPResponse {
    APIProblem(refusal).response
  }

  private func answer(_ request: HTTPRequest) async throws(APIProblem) -> HTTPResponse {
    let (route, id) = try RouteTable.find(request)
    let call = APICall(request: request, id: id)
    switch route.access {
    case .anybody(let answer):
      return try await answer(call, broker)
    case .session(let answer):
      let key = BearerKey.read(request.headers.values(of: .authorization))
      let caller = try await asking { () throws(Problem) in try self.broker.authenticate(key: key) }
      return try await answer(call, caller, broker)
    }
  }
}
