import HTTP
import MeroConsent

/// The forms of the local API's answers. None of them may be kept by a cache: some are secret.
enum APIResponse {
  static func json(
    _ value: some JSONObject, status: HTTPStatus, headers: HTTPHeaders? = nil
  ) -> HTTPResponse {
    response(JSONText(value), status, jsonHeaders, headers)
  }

  static func problem(
    _ document: ProblemDocument, status: HTTPStatus, headers: HTTPHeaders
  ) -> HTTPResponse {
    response(JSONText(document), status, problemHeaders, headers)
  }

  private static func response(
    _ text: consuming JSONText, _ status: HTTPStatus, _ usual: HTTPHeaders, _ more: HTTPHeaders?
  ) -> HTTPResponse {
    var headers = usual
    if let more { headers.add(contentsOf: more) }
    return HTTPResponse(status, headers: headers, body: text.line())
  }

  private static let jsonHeaders: HTTPHeaders = [
    .cacheControl: "no-store", .contentType: "application/json",
  ]
  private static let problemHeaders: HTTPHeaders = [
    .cacheControl: "no-store", .contentType: "application/problem+json",
  ]

  /// 204 or 304.
  static func empty(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> HTTPResponse {
    var headers = headers
    headers.set(.cacheControl, "no-store")
    return HTTPResponse(status, headers: headers)
  }
}
