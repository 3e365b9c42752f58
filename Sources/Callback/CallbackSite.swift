package import EventLoop
import Glibc
package import HTTP

/// The callback: where a browser brings the person back, on a loopback port.
///
/// Anything on this machine can connect here, and any web page can make a browser do so. So only
/// connections of our own user are served, a request is taken only as a hint that it is time to ask
/// the node, it is taken only from a top-level navigation to our own address, and no answer gives
/// anything away.
@LoopActor package final class CallbackSite: HTTPHandler {
  enum Limits {
    /// How long a page waits for a verdict that is being found: most come sooner, and then the
    /// person sees one page and no other in between.
    static let pageWait: Duration = .milliseconds(1500)
  }

  private let judge: any ReturnJudge
  private let clients: any ClientRule
  private var limiter = ReturnLimiter()
  /// Pages as they are sent. There are no more than topics and languages, about 3 KiB each.
  private var made: [Page: MadePage] = [:]

  private struct MadePage {
    let headers: HTTPHeaders
    let body: [UInt8]
  }

  package convenience init(judge: any ReturnJudge) {
    self.init(judge: judge, clients: OwnUserRule(uid: geteuid()))
  }

  init(judge: any ReturnJudge, clients: any ClientRule) {
    self.judge = judge
    self.clients = clients
  }

  /// Whether anybody can be served there: where the kernel does not tell whose a connection is,
  /// everybody is refused.
  package func canServe(on listener: Listener) -> Bool { clients.canTell(on: listener) }

  // MARK: The edge

  /// Whose connection it is, while its other end is there to be asked about.
  package func admit(_ connection: HTTPConnectionInfo) -> HTTPAdmission {
    clients.admits(connection) ? .served : .stranger
  }

  /// Whose connection it is, host, path and method, which a body cannot change. A stranger is told
  /// so with the head and not before, when nobody knows yet in which language.
  package func refuse(head: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPResponse? {
    guard connection.isAdmitted else { return page(.anotherUser, 403, for: head) }
    guard let port = connection.localPort, HostRule.admits(head.host, port: port) else {
      return page(.refused, 421, for: head)
    }
    guard CallbackPath(head.path) != nil else { return page(.notFound, 404, for: head) }
    guard head.method == .get || head.method == .head else {
      return page(.refused, 405, for: head, headers: [.allow: "GET, HEAD"])
    }
    switch NavigationRule.judge(head.headers) {
    case .navigation: return nil
    case .speculative: return Self.secured(HTTPResponse(204))
    case .speculativeNavigation: return Self.secured(HTTPResponse(503))
    case .foreign: return page(.refused, 403, for: head)
    }
  }

  package func respond(
    to request: HTTPRequest, on connection: HTTPConnectionInfo
  ) async -> HTTPResponse {
    switch CallbackPath(request.path) {
    case .return(let ticket):
      if request.method == .head { return await lookAtReturn(ticket, request) }
      return await takeReturn(ticket, request)
    case .done(let ticket):
      let deadline = request.method == .head ? .now : BootInstant.now + Limits.pageWait
      return verdict(await judge.page(ticket: ticket, until: deadline), for: request)
    case nil: return page(.notFound, 404, for: request)
    }
  }

  package func answer(
    to refusal: HTTPRefusal, on connection: HTTPConnectionInfo
  ) -> HTTPResponse {
    let topic: PageTopic =
      switch refusal.status.code {
      case 400, 413, 414, 431: .malformed
      case 429, 503: .limited
      default: .refused
      }
    return page(topic, refusal.status, in: .english, headers: refusal.headers)
  }

  // MARK: Returns

  private func takeReturn(_ ticket: String?, _ request: HTTPRequest) async -> HTTPResponse {
    let now = BootInstant.now
    if let wait = limiter.wait(ticket: ticket, at: now) {
      return limited(Int(wait.components.seconds) + 1, request)
    }
    switch await judge.callback(ticket: ticket, rawQuery: request.query) {
    case .done(let view):
      limiter.count(ticket: ticket, at: now)
      return redirect(to: view)
    case .unknownTicket: return verdict(.unknown, for: request)
    case .malformed: return page(.malformed, 400, for: request)
    case .unavailable: return page(.verdict(.notConfirmed), 503, for: request)
    case .tooMany(let retryAfter): return limited(retryAfter, request)
    }
  }

  /// `HEAD` is told what a return would be told, and returns nothing. A bare return gets a view
  /// ticket only when it is one, so there is no `Location` to tell then (RFC 9110, section 9.3.2).
  private func lookAtReturn(_ ticket: String?, _ request: HTTPRequest) async -> HTTPResponse {
    guard let ticket else { return Self.secured(HTTPResponse(303)) }
    let state = await judge.page(ticket: ticket, until: .now)
    return state == .unknown ? verdict(.unknown, for: request) : redirect(to: ticket)
  }

  // MARK: Answers

  /// Away from the query, so that neither the history nor a reload holds it.
  private func redirect(to ticket: String) -> HTTPResponse {
    judge.note("a return, 303")
    var response = HTTPResponse(303)
    if let location = HTTPFieldValue("/done/" + ticket) {
      response.headers.set(.location, location)
    }
    return Self.secured(response)
  }

  private func limited(_ seconds: Int, _ request: HTTPRequest) -> HTTPResponse {
    page(.limited, 429, for: request, headers: [.retryAfter: HTTPFieldValue(max(1, seconds))])
  }

  private static let acceptLanguage: HTTPFieldName = "Accept-Language"

  private func verdict(_ state: PageState, for request: HTTPRequest) -> HTTPResponse {
    page(.verdict(state), HTTPStatus(state.status) ?? 500, for: request)
  }

  private func page(
    _ topic: PageTopic, _ status: HTTPStatus, for request: HTTPRequest, headers: HTTPHeaders = [:]
  ) -> HTTPResponse {
    judge.note("\(topic.name), \(status)")
    let language = PageLanguage.preferred(in: request.headers.values(of: Self.acceptLanguage))
    return page(topic, status, in: language, headers: headers)
  }

  private func page(
    _ topic: PageTopic, _ status: HTTPStatus, in language: PageLanguage, headers: HTTPHeaders
  ) -> HTTPResponse {
    let page = Page(topic, in: language)
    let made = made[page] ?? make(page)
    var response = HTTPResponse(status, headers: made.headers, body: made.body)
    response.headers.add(contentsOf: headers)
    response.closesConnection = true
    return response
  }

  private func make(_ page: Page) -> MadePage {
    var headers: HTTPHeaders = [
      .contentType: "text/html; charset=utf-8", "Vary": "Accept-Language",
    ]
    if let tag = HTTPFieldValue(page.language.rawValue) { headers.set("Content-Language", tag) }
    SecurityHeaders.add(to: &headers)
    let result = MadePage(headers: headers, body: Array(page.html.utf8))
    made[page] = result
    return result
  }

  private static func secured(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    SecurityHeaders.add(to: &response.headers)
    response.closesConnection = true
    return response
  }
}
