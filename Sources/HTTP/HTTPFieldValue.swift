/// The value of a header field that we send (RFC 9110, section 5.5).
///
/// A value that exists is valid: it has no control character but the tab, and no space at its
/// ends. So no later layer can be made to write a second field, or a second answer.
package struct HTTPFieldValue: Sendable, Hashable, ExpressibleByStringLiteral {
  package let text: String

  /// `nil` when `text` has a control character other than the tab, or a space or tab at an end.
  package init?(_ text: String) {
    guard HTTPFieldValue.allows(text) else { return nil }
    self.text = text
  }

  package init(_ number: Int) { text = String(number) }

  /// - Precondition: the literal is a field value. Values from outside go through `init(_:)`.
  package init(stringLiteral text: StaticString) {
    self.text = "\(text)"
    precondition(HTTPFieldValue.allows(self.text), "not a field value: \(text)")
  }

  private static func allows(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, let last = bytes.last else { return true }
    return !HTTPBytes.isBlank(first) && !HTTPBytes.isBlank(last)
      && bytes.allSatisfy(HTTPBytes.isFieldValue)
  }
}
