import MeroConsent

/// Where the node is mounted, and whose package it serves.
package struct NodePlace: Sendable, Equatable {
  /// `http://127.0.0.1:PORT`
  package let origin: String
  /// Empty, or begins with a slash and does not end with one.
  package let prefix: String
  package let package: String

  package init(port: UInt16, prefix: String = "", package: String = "com.example.notes") {
    origin = "http://127.0.0.1:\(port)"
    self.prefix = prefix
    self.package = package
  }

  /// The base address, as a client of the node is configured with it.
  package var base: String { origin + prefix }

  /// Where a request of the package may send the person back to.
  package var origins: [String] { [origin] }

  /// The path of the package's served page below the prefix.
  package static let appPath = "/app/1.0.0/"

  /// The served page as a native app names it in `returnTo`.
  package var returnTo: String { base + Self.appPath + "?native-consent=1" }

  package func page(of id: String, code: String) -> String { "\(base)/consent/\(id)?code=\(code)" }

  /// Whether `returnTo` is on one of the package's origins, or on loopback: who develops an app
  /// may have no served page yet. A real node takes the origins alone.
  package func allows(returnTo: String) -> Bool {
    guard let url = WebURL(returnTo), !url.hasUserInfo, url.fragment == nil else { return false }
    return origins.contains(url.origin) || url.isLoopback
  }
}
