/// An id, ticket or key of outside: bytes that are compared as they are.
///
/// `String` would take two spellings of one character for equal, and so somebody else's id for
/// ours.
struct OpaqueID: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    hasher.combine(text.utf8.count)
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
