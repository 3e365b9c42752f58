package import MeroConsent

/// How a session's node proves that it is the one.
package enum SessionTrust: Hashable, Sendable {
  /// What the session itself says.
  case node(NodeTrust)
  /// The releases that the daemon's configuration trusts: all of them, or those of these names.
  case releases([String]?)

  /// The trust as it is now.
  ///
  /// - Returns: `nil` where no release of these is configured.
  func resolved(_ configured: [TrustedRelease]) -> NodeTrust? {
    switch self {
    case .node(let trust): return trust
    case .releases(let names):
      let images = configured.filter { names?.contains($0.name) ?? true }.map(\.image)
      return images.isEmpty ? nil : .measurements(images)
    }
  }

  /// Whether a change of the configured releases is a change of this.
  var dependsOnReleases: Bool {
    if case .releases = self { true } else { false }
  }
}
