import HTTP

/// Every route of the local API. `docs/openapi.yaml` lists the same; a test compares them.
enum RouteTable {
  static let routes: [Route] = [
    // What apps ask for most is looked for first.
    Route(.get, "/v1/requests/{id}", .sessionNow(RequestsResource.show)),
    Route(.get, "/v1/status", .anybodyNow(StatusResource.show)),
    Route(.post, "/v1/sessions", .anybody(SessionsResource.open)),
    Route(.get, "/v1/session", .session(SessionsResource.show)),
    Route(.patch, "/v1/session", .session(SessionsResource.replaceTokens)),
    Route(.delete, "/v1/session", .session(SessionsResource.close)),
    Route(.post, "/v1/session/check", .session(SessionsResource.check)),
    Route(.post, "/v1/requests", .session(RequestsResource.start)),
    Route(.get, "/v1/requests", .session(RequestsResource.list)),
    Route(.delete, "/v1/requests/{id}", .session(RequestsResource.cancel)),
    Route(.post, "/v1/requests/{id}/open", .session(RequestsResource.open)),
    Route(.post, "/v1/requests/{id}/return", .session(RequestsResource.confirm)),
    Route(.get, "/v1/events", .session(EventsResource.stream)),
    Route(.post, "/v1/returns", .anybody(ReturnsResource.accept)),
  ]

  /// The route of a request, and what its path has in the place of `{id}`.
  ///
  /// `HEAD` is answered as `GET` is, which the server then sends without its body.
  ///
  /// - Throws: 404 for a path that is none, 405 with `Allow` for a method that it does not have.
  static func find(_ request: HTTPRequest) throws(APIProblem) -> (Route, id: String) {
    let method = request.method == .head ? .get : request.method
    let path = canonical(request.path) ?? ""
    var allowed: [HTTPMethod] = []
    for route in routes {
      guard let match = route.path.match(path) else { continue }
      guard route.method != method else {
        switch match {
        case .plain: return (route, "")
        case .id(let id): return (route, id)
        }
      }
      allowed.append(route.method)
      if route.method == .get { allowed.append(.head) }
    }
    guard !allowed.isEmpty else {
      throw APIProblem(
        .notFound, "There is nothing at this path. Check its spelling; it begins with /v1/.")
    }
    let list = allowed.map(\.name).joined(separator: ", ")
    var headers = HTTPHeaders()
    if let value = HTTPFieldValue(list) { headers.set(.allow, value) }
    throw APIProblem(.methodNotAllowed, "This path has \(list).", headers: headers)
  }

  /// A path in which only what must be is escaped, so that `/v1/st%61tus` is `/v1/status`.
  ///
  /// - Returns: `nil` for broken escapes.
  private static func canonical(_ path: String) -> String? {
    guard path.hasByte(UInt8(ascii: "%")) else { return path }
    return PathSegments.split(path)?.map { "/" + PercentCoding.encode($0) }.joined()
  }
}
