/// A method: a token, compared with regard to case (RFC 9110, section 9.1).
package struct HTTPMethod: Hashable, Sendable, ExpressibleByStringLiteral {
  package let name: String

  /// `nil` when `name` is no token.
  package init?(_ name: String) {
    guard !name.isEmpty, name.utf8.allSatisfy(HTTPBytes.isToken) else { return nil }
    self.name = name
  }

  package init(stringLiteral name: StaticString) {
    self.name = "\(name)"
    precondition(self.name.utf8.allSatisfy(HTTPBytes.isToken), "not a method: \(name)")
  }

  /// For the parser, which has seen that it is a token.
  init(token: Span<UInt8>) { self = token.has("GET") ? .get : HTTPMethod(text: token.text) }

  private init(text: String) { name = text }

  package static let get: HTTPMethod = "GET"
  package static let head: HTTPMethod = "HEAD"
  package static let post: HTTPMethod = "POST"
  package static let patch: HTTPMethod = "PATCH"
  package static let put: HTTPMethod = "PUT"
  package static let delete: HTTPMethod = "DELETE"
  package static let options: HTTPMethod = "OPTIONS"
  package static let connect: HTTPMethod = "CONNECT"
}

package enum HTTPVersion: Hashable, Sendable {
  case http10
  /// Also any later minor version, which RFC 9110, section 2.5, has us answer as 1.1.
  case http11
}

/// A request as it arrived whole, or as a client is about to send it.
package struct HTTPRequest: Sendable, Equatable {
  package var method: HTTPMethod
  /// The path as on the wire, not decoded: ASCII, begins with `/`. Compare bytes after
  /// `PercentCoding` has decoded it exactly once.
  package var path: String
  /// What follows the first `?`, not decoded; `nil` without a `?`, empty for a bare one.
  package var query: String?
  package var version: HTTPVersion
  package var headers: HTTPHeaders
  /// The whole body, chunks joined; empty when there is none.
  package var body: [UInt8]
  /// The host that is asked: of an absolute-form target, else of the `Host` field (RFC 9112,
  /// section 3.3), as on the wire, its syntax checked; `nil` only for HTTP/1.0 without one. It
  /// may be empty.
  package var host: String?

  package init(
    method: HTTPMethod, path: String, query: String? = nil, version: HTTPVersion = .http11,
    headers: HTTPHeaders = [:], body: [UInt8] = [], host: String? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.version = version
    self.headers = headers
    self.body = body
    self.host = host
  }
}

/// An answer. `Content-Length`, `Transfer-Encoding`, `Connection` and `Date` are the server's
/// business: it writes them, and drops those that a handler has put in.
package struct HTTPResponse: Sendable {
  package enum Body: Sendable {
    case bytes([UInt8])
    case stream(HTTPBodyStream)
  }

  package var status: HTTPStatus
  package var headers: HTTPHeaders
  /// For a HEAD request it is the body that GET would have: its length is sent, it is not.
  package var body: Body
  /// Bytes that the body of an answer to HEAD has not, and that of GET would: its length counts them.
  package var omittedBytes = 0
  /// Ends the connection after this answer.
  package var closesConnection = false

  package init(_ status: HTTPStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = .bytes(body)
  }

  package init(_ status: HTTPStatus, headers: HTTPHeaders = [:], text: String) {
    self.init(status, headers: headers, body: Array(text.utf8))
  }

  package init(_ status: HTTPStatus, headers: HTTPHeaders = [:], stream: HTTPBodyStream) {
    self.status = status
    self.headers = headers
    self.body = .stream(stream)
  }
}
