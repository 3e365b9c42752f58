/// A status code of RFC 9110, section 15, and of RFC 6585.
package struct HTTPStatus: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// 100 to 599: "values outside the range 100..599 are invalid" (RFC 9110, section 15).
  package let code: Int

  /// - Precondition: 100 to 599; statuses from outside go through the response parser.
  package init(integerLiteral code: Int) {
    precondition((100...599).contains(code), "not a status: \(code)")
    self.code = code
  }

  package init?(_ code: Int) {
    guard (100...599).contains(code) else { return nil }
    self.code = code
  }

  /// Whether a message with this status has no body, whatever its fields say.
  package var isBodyless: Bool { code < 200 || code == 204 || code == 304 }

  /// The words after the code; empty for a code that has none here, which is allowed.
  package var reason: StaticString {
    switch code {
    case 100: "Continue"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    default: ""
    }
  }
}

extension HTTPStatus: CustomStringConvertible {
  package var description: String { String(code) }
}
