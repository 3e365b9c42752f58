import HTTP

/// `Authorization: Bearer <key>` (RFC 6750, section 2.1).
enum BearerKey {
  /// The key; `nil` without the header, with two of them, or with another scheme.
  ///
  /// - Parameter values: the header's values, one for each line.
  static func read(_ values: [String]) -> String? {
    guard values.count == 1 else { return nil }
    let bytes = values[0].utf8
    guard let end = bytes.firstIndex(of: HTTPBytes.space),
      bytes[..<end].lazy.map(HTTPBytes.lowercased).elementsEqual("bearer".utf8)
    else { return nil }
    let key = values[0][end...].trimmingBlanks()
    return key.isEmpty ? nil : String(key)
  }
}
