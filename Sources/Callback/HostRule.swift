import HTTP

/// Which host names the callback answers to.
///
/// A page of somebody else's can make its own name resolve to this machine (DNS rebinding); then
/// only the name that the browser asked for tells. So it has to be ours, and its port too.
enum HostRule {
  /// Whether `host` is exactly `127.0.0.1`, `[::1]` or `localhost` with `port`.
  ///
  /// - Parameters:
  ///   - host: as on the wire; `nil` where the request named none.
  ///   - port: the listener's own.
  static func admits(_ host: String?, port: UInt16) -> Bool {
    guard let host else { return false }
    // Names of hosts have no case (RFC 9110, section 4.2.3); `lowercased()` would fold more than
    // ASCII, and what is not ASCII matches nothing here anyway.
    let name = host.utf8.lazy.map(HTTPBytes.lowercased)
    return names.contains {
      name.elementsEqual("\($0):\(port)".utf8) || (port == 80 && name.elementsEqual($0.utf8))
    }
  }

  private static let names = ["127.0.0.1", "[::1]", "localhost"]
}
