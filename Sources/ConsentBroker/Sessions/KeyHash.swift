/// The SHA-256 of a session's key, to look the session up by.
struct KeyHash: Hashable {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A digest is spread evenly as it is: a part of it does.
  func hash(into hasher: inout Hasher) {
    var word: UInt64 = 0
    for byte in bytes.prefix(8) { word = word << 8 | UInt64(byte) }
    hasher.combine(word)
  }
}
