import FoundationEssentials

// Shapes that the daemon's local API shares with the apps that call it.

/// `application/problem+json` (RFC 9457) of one refusal. It holds nothing but what is in the error.
package struct ProblemDocument: Codable, Sendable, Equatable {
  package let type: String
  package let title: String
  package let status: Int
  package let detail: String
  package let code: String
  package let requestId: String?
  package let field: String?
  package let nodeStatus: Int?

  package init(_ error: ConsentError, requestId: String? = nil) {
    self.init(
      code: error.code.rawValue, title: error.code.title, status: error.code.httpStatus,
      detail: error.advice, requestId: requestId, field: error.field, nodeStatus: error.nodeStatus)
  }

  /// For the refusals of the API itself, which have no `ConsentError`.
  package init(
    code: String, title: String, status: Int, detail: String, requestId: String? = nil,
    field: String? = nil, nodeStatus: Int? = nil
  ) {
    type = "urn:mero-consent:problem:\(code)"
    self.title = title
    self.status = status
    self.detail = detail
    self.code = code
    self.requestId = requestId
    self.field = field
    self.nodeStatus = nodeStatus
  }

  /// The error that this document tells; `nil` for a code that is not one of the protocol's.
  package var error: ConsentError? {
    ConsentError.Code(rawValue: code).map {
      ConsentError($0, advice: detail, field: field, nodeStatus: nodeStatus)
    }
  }
}

/// `{"requestId","url","code","expiresAt","kind"}`, decoded strictly like a request.
extension ConsentStarted: Codable {
  private enum Keys: String, CodingKey { case requestId, url, code, expiresAt, kind }

  public init(from decoder: any Decoder) throws {
    var fields = try StrictFields(decoder)
    let name = try fields.text(Keys.kind.rawValue)
    guard let kind = ConsentKind(rawValue: name) else {
      throw ConsentError.requestInvalid(Keys.kind.rawValue, "is not one that is known")
    }
    let date = try fields.text(Keys.expiresAt.rawValue)
    guard let expiresAt = RFC3339.date(date) else {
      throw ConsentError.requestInvalid(Keys.expiresAt.rawValue, "is not an RFC 3339 date and time")
    }
    self.init(
      requestId: try fields.text(Keys.requestId.rawValue),
      url: try fields.text(Keys.url.rawValue), code: try fields.text(Keys.code.rawValue),
      expiresAt: expiresAt, kind: kind)
    try fields.finish()
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(requestId, forKey: .requestId)
    try container.encode(url, forKey: .url)
    try container.encode(code, forKey: .code)
    try container.encode(RFC3339.text(expiresAt), forKey: .expiresAt)
    try container.encode(kind.rawValue, forKey: .kind)
  }
}
