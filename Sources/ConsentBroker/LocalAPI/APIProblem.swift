import HTTP
import MeroConsent

/// A call that is refused, as the answer that says so.
///
/// Every refusal of the local API is one of these, whoever refused.
struct APIProblem: Error {
  let document: ProblemDocument
  /// What its status has to carry: `Allow`, `Retry-After`, `WWW-Authenticate`.
  let headers: HTTPHeaders

  /// - Parameter detail: one or two sentences that say what to do next. They repeat nothing secret.
  init(_ code: APICode, _ detail: String, field: String? = nil, headers: HTTPHeaders = [:]) {
    self.init(code, status: code.status, detail, field: field, headers: headers)
  }

  init(_ error: ConsentError, requestId: String? = nil) {
    document = ProblemDocument(error, requestId: requestId)
    headers = [:]
  }

  private init(
    _ code: APICode, status: Int, _ detail: String, field: String? = nil, headers: HTTPHeaders
  ) {
    document = ProblemDocument(
      code: code.rawValue, title: code.title, status: status, detail: detail, field: field)
    self.headers = headers
  }

  var response: HTTPResponse {
    APIResponse.problem(
      document, status: HTTPStatus(document.status) ?? 500, headers: headers)
  }
}

extension ProblemDocument: JSONObject {
  func write(to json: inout JSONText) {
    json.member("code", code)
    json.member("detail", detail)
    json.member("field", field)
    json.member("nodeStatus", nodeStatus)
    json.member("requestId", requestId)
    json.member("status", status)
    json.member("title", title)
    json.member("type", type)
  }
}

extension APIProblem {
  /// The broker's refusals in HTTP's words.
  init(_ problem: Problem) {
    switch problem {
    case .consent(let error, let requestId):
      self.init(error, requestId: requestId)
    case .unauthorized:
      self.init(keyRequired: "Send the key of a session: Authorization: Bearer <key>.")
    case .noSession:
      self.init(
        keyRequired: "This key opens no session: that one was closed, was not used for long, or "
          + "gave way to another. Open a session again (POST /v1/sessions) and use its key.")
    case .notFound:
      self.init(
        .notFound,
        "This session has no such request. GET /v1/requests lists those that it has; another "
          + "session's take that session's key.")
    case .tooMany(let limit, let retryAfter):
      self.init(
        .tooMany, "Too many \(limit.words) at once. Try again a little later.",
        headers: [.retryAfter: HTTPFieldValue(max(1, retryAfter))])
    case .idempotencyKeyReused:
      self.init(
        .idempotencyKeyReused,
        "This Idempotency-Key was used with another body. Use a new one for a new request.",
        field: "Idempotency-Key")
    case .invalid(let field, let detail):
      self.init(.fieldInvalid, detail, field: field)
    case .sessionIsConfigured:
      self.init(
        .sessionConfigured,
        "This session is open as long as the daemon's configuration has it. Take it out there to "
          + "close it.")
    case .stopping:
      self.init(
        .stopping, "The daemon is stopping. Try again in a moment.", headers: [.retryAfter: "1"])
    }
  }

  private init(keyRequired detail: String) {
    self.init(
      .keyRequired, detail, headers: [.wwwAuthenticate: "Bearer realm=\"mero-consent\""])
  }

  /// The HTTP server's own refusals, with what to do. The status stays as it is.
  init(_ refusal: HTTPRefusal) {
    let code: APICode =
      switch refusal.status.code {
      case 405: .methodNotAllowed
      case 408: .requestTimeout
      case 413: .bodyTooLarge
      case 414: .targetTooLong
      case 429: .tooMany
      case 431: .headersTooLarge
      case 503: .stopping
      default: .requestMalformed
      }
    self.init(
      code, status: refusal.status.code,
      [refusal.reason, Self.advice(code)].compactMap { $0 }.joined(separator: " "),
      headers: refusal.headers)
  }

  /// What the server, which knows nothing of its callers, does not say.
  private static func advice(_ code: APICode) -> String? {
    switch code {
    case .bodyTooLarge: "Send at most 1 MiB."
    case .targetTooLong: "Send at most 16 KiB of path and query."
    case .headersTooLarge: "Send at most 100 headers, and 64 KiB of them."
    case .requestTimeout: "Send it in one go: its head within 10 s, its body within 30 s."
    case .tooMany: "Try again a little later."
    default: nil
    }
  }
}

extension Problem.Limit {
  fileprivate var words: String {
    switch self {
    case .sessions: "sessions"
    case .openRequests: "undecided requests"
    case .waits: "waits"
    case .eventStreams: "event streams"
    case .returns: "returns"
    }
  }
}
