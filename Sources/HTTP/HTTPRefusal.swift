/// A request, or a connection, that the server refuses before a handler sees it.
///
/// After most refusals the connection is closed, since where the next request begins is unknown.
package struct HTTPRefusal: Error, Sendable, Equatable {
  package let status: HTTPStatus
  /// One sentence for a developer. It repeats nothing that came from outside.
  package let reason: String
  /// What this status has to carry: `Allow`, `Retry-After`.
  package var headers: HTTPHeaders = [:]

  package init(_ status: HTTPStatus, _ reason: String, headers: HTTPHeaders = [:]) {
    self.status = status
    self.reason = reason
    self.headers = headers
  }

  /// Two refusals are equal when their statuses are.
  package static func == (left: Self, right: Self) -> Bool { left.status == right.status }
}
