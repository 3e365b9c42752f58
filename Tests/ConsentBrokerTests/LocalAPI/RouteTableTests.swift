import HTTP
import MeroConsent
import Testing

@testable import ConsentBroker

@Suite struct RouteTableTests {
  @Test(arguments: [
    ("POST", "/v1/sessions", "/v1/sessions", ""),
    ("GET", "/v1/session", "/v1/session", ""),
    ("PATCH", "/v1/session", "/v1/session", ""),
    ("DELETE", "/v1/session", "/v1/session", ""),
    ("POST", "/v1/requests", "/v1/requests", ""),
    ("GET", "/v1/requests", "/v1/requests", ""),
    ("GET", "/v1/requests/rq-1", "/v1/requests/{id}", "rq-1"),
    ("GET", "/v1/requests/a%2Fb%3F", "/v1/requests/{id}", "a/b?"),
    ("GET", "/v1/requests/a+b", "/v1/requests/{id}", "a+b"),
    ("GET", "/v1/requests/..", "/v1/requests/{id}", ".."),
    ("GET", "/v1/requests/%7Bid%7D", "/v1/requests/{id}", "{id}"),
    ("DELETE", "/v1/requests/rq-1", "/v1/requests/{id}", "rq-1"),
    ("POST", "/v1/requests/rq-1/open", "/v1/requests/{id}/open", "rq-1"),
    ("POST", "/v1/requests/rq-1/return", "/v1/requests/{id}/return", "rq-1"),
    ("GET", "/v1/events", "/v1/events", ""),
    ("POST", "/v1/returns", "/v1/returns", ""),
    ("GET", "/v1/status", "/v1/status", ""),
    ("HEAD", "/v1/status", "/v1/status", ""),
    ("GET", "/v1/st%61tus", "/v1/status", ""),
    ("POST", "/%76%31/requests/a%25b/%6Fpen", "/v1/requests/{id}/open", "a%b"),
  ]) func findsARoute(_ method: String, _ path: String, _ template: String, _ id: String) throws {
    let (route, found) = try RouteTable.find(request(method, path))
    #expect(route.path.template == template)
    #expect(found.utf8.elementsEqual(id.utf8))
  }

  @Test(arguments: [
    "/", "/v1", "/v1/", "/v1/status/", "//v1/status", "/v1//status", "/V1/status", "/v1/Status",
    "/v2/status", "/v1/requests/", "/v1/requests//open", "/v1/requests/a/b", "/v1/requests/a/open/",
    "/v1/sessions/s_1", "/v1/./status", "/v1/x/../status", "/v1/status%00", "/v1/%ZZ",
    "/v1/requests/%FF", "/v1%2Fstatus", "/v1/requests%2Fa", "/favicon.ico", "/return",
  ]) func answers404ForEveryOtherPath(_ path: String) {
    #expect(status("GET", path) == 404)
  }

  @Test(arguments: [
    ("PUT", "/v1/session", "GET, HEAD, PATCH, DELETE"),
    ("GET", "/v1/sessions", "POST"),
    ("HEAD", "/v1/sessions", "POST"),
    ("OPTIONS", "/v1/requests", "POST, GET, HEAD"),
    ("PUT", "/v1/requests/rq-1", "GET, HEAD, DELETE"),
    ("get", "/v1/status", "GET, HEAD"),
    ("POST", "/v1/status", "GET, HEAD"),
    ("TRACE", "/v1/returns", "POST"),
  ]) func answers405WithWhatIsAllowed(_ method: String, _ path: String, _ allow: String) {
    do {
      _ = try RouteTable.find(request(method, path))
      Issue.record("found")
    } catch {
      #expect(error.document.status == 405)
      #expect(error.headers[.allow] == allow)
    }
  }

  @Test func needsAKeyForEverythingThatIsSomebodys() {
    let open = RouteTable.routes.filter {
      switch $0.access {
      case .anybody, .anybodyNow: true
      case .session, .sessionNow: false
      }
    }
    #expect(
      open.map { "\($0.method.name) \($0.path.template)" }.sorted()
        == ["GET /v1/status", "POST /v1/returns", "POST /v1/sessions"])
  }

  private func request(_ method: String, _ path: String) -> HTTPRequest {
    HTTPRequest(method: HTTPMethod(method) ?? .get, path: path)
  }

  private func status(_ method: String, _ path: String) -> Int {
    do {
      _ = try RouteTable.find(request(method, path))
      return 200
    } catch { return error.document.status }
  }
}
