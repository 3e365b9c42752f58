import FoundationEssentials
import HTTP
import MeroConsent

/// The forms of the local API's answers. None of them may be kept by a cache: some are secret.
enum APIResponse {
  static func json(
    _ value: some Encodable, status: HTTPStatus, type: HTTPFieldValue = "application/json",
    headers: HTTPHeaders = [:]
  ) -> HTTPResponse {
    var headers = headers
    headers.set(.cacheControl, "no-store")
    headers.set(.contentType, type)
    return HTTPResponse(status, headers: headers, text: text(value) + "\n")
  }

  /// One line of JSON. The same value is the same bytes, so that people can compare them.
  static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(RFC3339.text(date))
    }
    // Our own values have nothing in them that does not encode; if one had, `null` tells no lie.
    guard let json = try? encoder.encode(value) else { return "null" }
    return String(decoding: json, as: UTF8.self)
  }

  /// 204 or 304.
  static func empty(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> HTTPResponse {
    var headers = headers
    headers.set(.cacheControl, "no-store")
    return HTTPResponse(status, headers: headers)
  }
}
