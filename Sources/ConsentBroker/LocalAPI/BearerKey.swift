import HTTP

/// `Authorization: Bearer <key>` (RFC 6750, section 2.1).
enum BearerKey {
  private static let scheme = Array("bearer".utf8)

  /// The key; `nil` without the header, with two of them, or with another scheme.
  static func read(_ headers: HTTPHeaders) -> String? {
    guard let value = headers.onlyBytes(of: .authorization), value.count > scheme.count else {
      return nil
    }
    let end = value.startIndex + scheme.count
    guard value[end] == HTTPBytes.space,
      value[..<end].lazy.map(HTTPBytes.lowercased).elementsEqual(scheme)
    else { return nil }
    let key = HTTPBytes.trimmed(value[end...])
    return key.isEmpty ? nil : String(decoding: key, as: UTF8.self)
  }
}
