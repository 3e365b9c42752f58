import HTTP

/// `Authorization: Bearer <key>` (RFC 6750, section 2.1).
enum BearerKey {
  private static let scheme: StaticString = "bearer "

  /// The key's bytes as they came; `nil` without the header, with two of them, or with another
  /// scheme.
  static func read(_ headers: HTTPHeaders) -> ArraySlice<UInt8>? {
    guard let value = headers.onlyBytes(of: .authorization),
      HTTPHeaders.begins(value, with: scheme)
    else { return nil }
    let key = HTTPBytes.trimmed(value.dropFirst(scheme.utf8CodeUnitCount))
    return key.isEmpty ? nil : key
  }
}
