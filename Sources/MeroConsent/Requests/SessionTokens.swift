/// The tokens of one account's session with a node. Both are bearer credentials: they print as
/// `<redacted>`.
public struct SessionTokens: Hashable, Sendable {
  public let accessToken: String
  /// Used once: a refresh answers with the next. Without one, the session ends with the access
  /// token.
  public let refreshToken: String?

  public init(accessToken: String, refreshToken: String? = nil) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
  }
}

extension SessionTokens {
  /// Bytes of the longest token that is taken.
  package static let longest = 16 * 1024

  /// The name of the token that cannot stand in a header field, if there is one: empty, too long,
  /// or with anything but visible ASCII.
  package var unusableField: String? {
    if !Self.isUsable(accessToken) { return "accessToken" }
    if let refreshToken, !Self.isUsable(refreshToken) { return "refreshToken" }
    return nil
  }

  private static func isUsable(_ token: String) -> Bool {
    (1...longest).contains(token.utf8.count) && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
  }
}

extension SessionTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "SessionTokens(\(redactedMark))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
