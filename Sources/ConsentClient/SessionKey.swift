/// The key of a session: whoever has it reads that session's requests and results.
///
/// It prints, dumps and interpolates as `<redacted>`. To keep it, store `text` where other
/// programs cannot read it.
public struct SessionKey: Hashable, Sendable {
  /// The key itself. Do not log it.
  public let text: String

  /// - Returns: `nil` for a text that cannot be a key: empty, or with anything but visible ASCII.
  public init?(_ text: String) {
    guard (1...256).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    self.text = text
  }
}

extension SessionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
