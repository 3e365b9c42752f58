/// Lets a program that is started come to the front, once (xdg-activation; on X11 a startup id).
/// Whoever has it may take the focus, so it is passed on and neither logged nor kept.
package struct ActivationToken: Sendable, Equatable {
  /// Bytes of the longest one. Compositors make tens.
  package static let longest = 1024

  package let text: String

  /// - Returns: `nil` for what is empty, too long or not of visible ASCII characters.
  package init?(_ text: String) {
    guard (1...Self.longest).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    self.text = text
  }
}

extension ActivationToken: CustomStringConvertible, CustomReflectable {
  package var description: String { "ActivationToken" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
