/// The name of a header field: a token, compared without regard to case (RFC 9110, section 5.1).
///
/// A name that exists is valid: no space, colon, CR, LF or NUL can be in it.
package struct HTTPFieldName: Sendable, ExpressibleByStringLiteral {
  /// As it is sent.
  package let text: String

  /// `nil` when `text` is empty or has a byte that a token may not have.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.allSatisfy(HTTPBytes.isToken) else { return nil }
    self.text = text
  }

  /// - Precondition: the literal is a token. Names from outside go through `init(_:)`.
  package init(stringLiteral text: StaticString) {
    self.text = "\(text)"
    precondition(
      !self.text.isEmpty && self.text.utf8.allSatisfy(HTTPBytes.isToken),
      "not a field name: \(text)")
  }
}

extension HTTPFieldName: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.count == right.text.utf8.count
      && zip(left.text.utf8, right.text.utf8).allSatisfy {
        HTTPBytes.lowercased($0) == HTTPBytes.lowercased($1)
      }
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(HTTPBytes.lowercased(byte)) }
  }
}

extension HTTPFieldName {
  package static let accept: HTTPFieldName = "Accept"
  package static let allow: HTTPFieldName = "Allow"
  package static let authorization: HTTPFieldName = "Authorization"
  package static let cacheControl: HTTPFieldName = "Cache-Control"
  package static let connection: HTTPFieldName = "Connection"
  package static let contentLength: HTTPFieldName = "Content-Length"
  package static let contentType: HTTPFieldName = "Content-Type"
  package static let date: HTTPFieldName = "Date"
  package static let etag: HTTPFieldName = "ETag"
  package static let expect: HTTPFieldName = "Expect"
  package static let host: HTTPFieldName = "Host"
  package static let idempotencyKey: HTTPFieldName = "Idempotency-Key"
  package static let ifNoneMatch: HTTPFieldName = "If-None-Match"
  package static let lastEventID: HTTPFieldName = "Last-Event-ID"
  package static let location: HTTPFieldName = "Location"
  package static let origin: HTTPFieldName = "Origin"
  package static let prefer: HTTPFieldName = "Prefer"
  package static let retryAfter: HTTPFieldName = "Retry-After"
  package static let transferEncoding: HTTPFieldName = "Transfer-Encoding"
  package static let wwwAuthenticate: HTTPFieldName = "WWW-Authenticate"
}
