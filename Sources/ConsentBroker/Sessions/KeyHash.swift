import Crypto

/// The SHA-256 of a session's key, to look the session up by. It says which one may be meant, and
/// never that it is: bytes that are no digest may look like another's.
struct KeyHash: Hashable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  init(_ bytes: [UInt8]) { self.init(bytes.span) }

  init(_ bytes: Span<UInt8>) {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    bytes.extracting(first: SHA256.size).withUnsafeBytes { bytes in
      withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
    }
    self.words = words
  }

  static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// A digest is spread evenly as it is: a part of it does.
  func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
