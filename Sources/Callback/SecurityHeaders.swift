import HTTP

/// What every answer of the callback carries, whatever its status and whoever worded it.
enum SecurityHeaders {
  /// - Precondition: `headers` has none of them yet.
  static func add(to headers: inout HTTPHeaders) { headers.add(contentsOf: fields) }

  private static let fields: HTTPHeaders = [
    .cacheControl: "no-store",
    "Content-Security-Policy": contentSecurityPolicy,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
  ]

  /// Nothing but the one style sheet, known by its hash.
  private static let contentSecurityPolicy: HTTPFieldValue = {
    let policy =
      "default-src 'none'; style-src \(PageStyle.source); base-uri 'none'; "
      + "form-action 'none'; frame-ancestors 'none'"
    // Base64 and our own words are always a field value; without the style the page is plain.
    return HTTPFieldValue(policy) ?? "default-src 'none'"
  }()
}
