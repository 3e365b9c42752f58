import HTTP

/// Tells a person's navigation from the other requests that a browser makes.
///
/// A return is a top-level navigation: a link, a redirect, a form's answer. Those carry no `Origin`
/// and, in browsers that send fetch metadata, `navigate` to a `document`. Anything else is a
/// page's own doing, and a speculative load is not yet anybody's.
enum NavigationRule {
  enum Verdict: Equatable {
    case navigation
    /// A prefetch or prerender: answered 204.
    case speculative
    /// A prefetch or prerender whose answer the browser would keep for the navigation to come.
    /// Chromium does nothing at all for a click on a link that it has a 204 for, and comes again
    /// only where it was told that this did not work: so this is answered 503.
    case speculativeNavigation
    /// A script, a frame, an image, a form post: 403.
    case foreign
  }

  static func judge(_ headers: HTTPHeaders) -> Verdict {
    for name in speculationFields {
      for value in headers.values(of: name) where namesSpeculation(value) {
        return headers.values(of: mode).contains("navigate") ? .speculativeNavigation : .speculative
      }
    }
    if headers.contains(.origin) { return .foreign }
    // A field that is there twice must say the same twice; browsers never send two.
    guard headers.values(of: mode).allSatisfy({ $0 == "navigate" }),
      headers.values(of: destination).allSatisfy({ $0 == "document" })
    else { return .foreign }
    return .navigation
  }

  private static let mode: HTTPFieldName = "Sec-Fetch-Mode"
  private static let destination: HTTPFieldName = "Sec-Fetch-Dest"
  /// The standard's field, and those that browsers have used for the same.
  private static let speculationFields: [HTTPFieldName] = [
    "Sec-Purpose", "Purpose", "X-Purpose", "X-Moz",
  ]
  private static let speculationWords = ["prefetch", "prerender", "preview"]

  private static func namesSpeculation(_ value: String) -> Bool {
    value.split { ",; \t".contains($0) }.contains { speculationWords.contains($0.lowercased()) }
  }
}
