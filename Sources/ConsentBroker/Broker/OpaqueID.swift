import HTTP

/// An id, ticket or key of outside: bytes that are compared as they are.
///
/// `String` would take two spellings of one character for equal, and so somebody else's id for
/// ours.
struct OpaqueID: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

  func hash(into hasher: inout Hasher) {
    hasher.combine(text.utf8.count)
    let isHashed: ()? = text.utf8.withContiguousStorageIfAvailable { bytes in
      hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    guard isHashed == nil else { return }
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
