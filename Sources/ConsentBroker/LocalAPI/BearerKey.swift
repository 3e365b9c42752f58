import HTTP

/// `Authorization: Bearer <key>` (RFC 6750, section 2.1).
enum BearerKey {
  /// The key; `nil` without the header, with two of them, or with another scheme.
  ///
  /// - Parameter values: the header's values, one for each line.
  static func read(_ values: [String]) -> String? {
    guard values.count == 1 else { return nil }
    let words = values[0].split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    let key = words[1].trimmingBlanks()
    return key.isEmpty ? nil : String(key)
  }
}
