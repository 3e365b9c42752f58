package import EventLoop
package import HTTP
import MeroConsent

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
    let who = connection.peer.map { "user \($0.uid), process \($0.pid)" } ?? "nobody"
    broker.log.warning("local API: refused another user's process (\(who))")
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
    do throws(APIProblem) {
      let response = try await answer(call, by: route.access)
      note(route, response.status.code)
      return response
    } catch {
      note(route, error.document.status, error.document.code)
      throw error
    }
  }

  private func answer(
    _ call: APICall, by access: Route.Access
  ) async throws(APIProblem) -> HTTPResponse {
    switch access {
    case .anybody(let answer):
      return try await answer(call, broker)
    case .session(let answer):
      let key = BearerKey.read(call.request.headers.values(of: .authorization))
      let caller = try await asking { () throws(Problem) in try self.broker.authenticate(key: key) }
      return try await answer(call, caller, broker)
    }
  }

  /// The route and not the path: an id is nobody else's business.
  private func note(_ route: Route, _ status: Int, _ code: String? = nil) {
    let line = { "local API: \(route.method.name) \(route.path.template): \(status)" }
    if let code {
      broker.log.debug(line(), .code(code))
    } else {
      broker.log.debug(line())
    }
  }
}
