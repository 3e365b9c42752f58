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

extension SessionTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "SessionTokens(\(redactedMark))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
