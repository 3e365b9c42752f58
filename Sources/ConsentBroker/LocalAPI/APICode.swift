/// The local API's own refusals. The protocol's are `ConsentError.Code`.
///
/// Raw values are the protocol: add, never rename, never reuse. Listed in `docs/openapi.yaml`.
package enum APICode: String, Sendable, CaseIterable {
  /// The HTTP message itself cannot be read.
  case requestMalformed = "REQUEST_MALFORMED"
  /// The body is not JSON.
  case jsonMalformed = "JSON_MALFORMED"
  /// No key, or one that is no session's.
  case keyRequired = "KEY_REQUIRED"
  /// Another user's process.
  case peerRefused = "PEER_REFUSED"
  /// A web page's request.
  case originRefused = "ORIGIN_REFUSED"
  /// Not there, or another session's.
  case notFound = "NOT_FOUND"
  case methodNotAllowed = "METHOD_NOT_ALLOWED"
  /// A session of the configuration, which closes when it is taken out there.
  case sessionConfigured = "SESSION_CONFIGURED"
  case requestTimeout = "REQUEST_TIMEOUT"
  case bodyTooLarge = "BODY_TOO_LARGE"
  case targetTooLong = "TARGET_TOO_LONG"
  case contentTypeUnsupported = "CONTENT_TYPE_UNSUPPORTED"
  /// A field, or a parameter of the query, that is unknown, missing, or not what it has to be.
  case fieldInvalid = "FIELD_INVALID"
  case idempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED"
  case tooMany = "TOO_MANY"
  case headersTooLarge = "HEADERS_TOO_LARGE"
  /// The daemon is ending; it, or its successor, is back in a moment.
  case stopping = "STOPPING"

  /// The status of the answer.
  package var status: Int {
    switch self {
    case .requestMalformed, .jsonMalformed: 400
    case .keyRequired: 401
    case .peerRefused, .originRefused: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .requestTimeout: 408
    case .sessionConfigured: 409
    case .bodyTooLarge: 413
    case .targetTooLong: 414
    case .contentTypeUnsupported: 415
    case .fieldInvalid, .idempotencyKeyReused: 422
    case .tooMany: 429
    case .headersTooLarge: 431
    case .stopping: 503
    }
  }

  /// A few words that are the same each time (RFC 9457, section 3.1.3).
  package var title: String {
    switch self {
    case .requestMalformed: "The request is malformed"
    case .jsonMalformed: "The body is not JSON"
    case .keyRequired: "A session's key is required"
    case .peerRefused: "Another user's process is refused"
    case .originRefused: "A web page's request is refused"
    case .notFound: "Not found"
    case .methodNotAllowed: "The method is not allowed here"
    case .requestTimeout: "The request took too long"
    case .sessionConfigured: "The session is the configuration's"
    case .bodyTooLarge: "The body is too large"
    case .targetTooLong: "The address is too long"
    case .contentTypeUnsupported: "The body is not application/json"
    case .fieldInvalid: "A field is not valid"
    case .idempotencyKeyReused: "The idempotency key is in use"
    case .tooMany: "Too many at once"
    case .headersTooLarge: "The headers are too large"
    case .stopping: "The daemon is stopping"
    }
  }
}
