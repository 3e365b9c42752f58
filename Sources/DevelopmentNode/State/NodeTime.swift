package import EventLoop
import FoundationEssentials
import MeroConsent

// The node's time as it goes over the wire. All that happens in the node is told the time, since
// tests and app developers may set its clock wrong.

extension WallInstant {
  /// What the node writes as `expiresAt`, to the millisecond.
  var rfc3339: String {
    RFC3339.text(Date(timeIntervalSince1970: Double(nanoseconds / 1_000_000) / 1000))
  }

  /// Whole seconds since 1970: what a token's `exp` and the `Date` header are counted in.
  package var unixSeconds: Int64 { nanoseconds / 1_000_000_000 }
}

extension Duration {
  /// Rounded towards zero. Durations here are options of a person: milliseconds to a year.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
