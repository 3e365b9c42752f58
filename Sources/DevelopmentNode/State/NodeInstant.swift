import FoundationEssentials
import MeroConsent

/// A moment on the node's own wall clock, which tests may set wrong.
package struct NodeInstant: Comparable, Hashable, Sendable {
  /// Since 1970-01-01T00:00:00Z.
  package let milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

  package static func + (left: Self, right: Duration) -> Self {
    NodeInstant(milliseconds: left.milliseconds + right.wholeMilliseconds)
  }

  /// What the node writes as `expiresAt`.
  package var rfc3339: String {
    RFC3339.text(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
  }

  /// Whole seconds since 1970: what a token's `exp` is counted in.
  package var unixSeconds: Int64 { milliseconds / 1000 }
}

extension Duration {
  /// Rounded towards zero. Durations here are options of a person: seconds to days.
  package var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
