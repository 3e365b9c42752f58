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

  package func admit(_ connection: HTTPConnectionInfo) -> HTTPAdmission {
    guard !peers.admits(connection.peer) else { return .served }
    let who = connection.peer.map { "user \($0.uid), process \($0.pid)" } ?? "nobody"
    broker.log.warning("local API: refused another user's process (\(who))")
    return .refused(
      APIProblem(
        .peerRefused, "This socket answers only the processes of the user it belongs to."
      ).response)
  }

  package func refuse(head: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPResponse? {
    // No web page can reach a Unix socket by itself, but a careless relay can bring one here.
    guard head.headers.contains(.origin) else { return nil }
    return APIProblem(
      .originRefused, "This socket answers programs, not web pages: send no Origin."
    ).response
  }

  package func reply(to request: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPReply {
    do throws(APIProblem) {
      let (route, id) = try RouteTable.find(request)
      return reply(to: APICall(request: request, id: id), by: route)
    } catch {
      return .now(error.response)
    }
  }

  package func respond(
    to request: HTTPRequest, on connection: HTTPConnectionInfo
  ) async -> HTTPResponse {
    await reply(to: request, on: connection).value()
  }

  package func answer(
    to refusal: HTTPRefusal, on connection: HTTPConnectionInfo
  ) -> HTTPResponse {
    APIProblem(refusal).response
  }

  private func reply(to call: APICall, by route: Route) -> HTTPReply {
    do throws(APIProblem) {
      switch route.access {
      case .anybodyNow(let answer): return noted(try answer(call, broker), route)
      case .anybody(let answer):
        return later(route) { [broker] () throws(APIProblem) in try await answer(call, broker) }
      case .sessionNow(let answer):
        return noted(try answer(call, try caller(of: call), broker), route)
      case .session(let answer):
        let caller = try caller(of: call)
        return later(route) { [broker] () throws(APIProblem) in
          try await answer(call, caller, broker)
        }
      }
    } catch {
      return .now(noted(error, route))
    }
  }

  private func caller(of call: APICall) throws(APIProblem) -> Caller {
    let key = BearerKey.read(call.request.headers)
    return try asking { () throws(Problem) in try self.broker.authenticate(key: key) }
  }

  private func later(
    _ route: Route, _ answer: @escaping @LoopActor () async throws(APIProblem) -> HTTPResponse
  ) -> HTTPReply {
    .later {
      do throws(APIProblem) {
        let response = try await answer()
        self.note(route, response.status.code)
        return response
      } catch {
        return self.noted(error, route)
      }
    }
  }

  private func noted(_ reply: HTTPReply, _ route: Route) -> HTTPReply {
    switch reply {
    case .now(let response): note(route, response.status.code)
    case .prepared(let answer): note(route, answer.response.status.code)
    case .later, .parked: break
    }
    return reply
  }

  private func noted(_ problem: APIProblem, _ route: Route) -> HTTPResponse {
    note(route, problem.document.status, problem.document.code)
    return problem.response
  }

  /// The route and not the path: an id is nobody else's business.
  private func note(_ route: Route, _ status: Int, _ code: String? = nil) {
    guard broker.log.keeps(.debug) else { return }
    let line = { "local API: \(route.method.name) \(route.path.template): \(status)" }
    if let code {
      broker.log.debug(line(), .code(code))
    } else {
      broker.log.debug(line())
    }
  }
}
