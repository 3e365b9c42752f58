import MeroConsent

/// Where the app that asked listens: its loopback address, or its own URL scheme.
package struct Callback: Sendable, Equatable, CustomStringConvertible {
  package let description: String
  /// Whether it is HTTP on loopback, and not a scheme.
  package let isLoopback: Bool

  /// Takes `http://` on loopback and schemes of apps, in printable ASCII without a fragment;
  /// everything else is `nil`, so that the served page cannot send anybody elsewhere.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.lengthLimit,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }),
      let colon = text.firstIndex(of: ":")
    else { return nil }
    let scheme = text[..<colon].lowercased()
    if scheme == "http" {
      guard let url = WebURL(text), url.isLoopback, !url.hasUserInfo else { return nil }
    } else {
      guard let first = scheme.first, first.isLetter,
        scheme.allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) }),
        !Self.schemesOfBrowsers.contains(scheme)
      else { return nil }
    }
    description = text
    isLoopback = scheme == "http"
  }

  /// Bytes of a callback address; browsers take far longer ones.
  package static let lengthLimit = 2048

  /// This address with the return's values in its query.
  package func address(adding query: [(name: String, value: String)]) -> String {
    description.adding(query: query)
  }

  /// What a browser would handle itself.
  private static let schemesOfBrowsers: Set<String> = [
    "https", "ws", "wss", "ftp", "file", "data", "javascript", "vbscript", "blob", "about",
    "view-source", "filesystem", "chrome", "mailto", "tel",
  ]
}
