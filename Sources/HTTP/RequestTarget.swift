/// The segments of a path, each decoded exactly once.
package enum PathSegments {
  /// `/v1/requests/a%2Fb` is `["v1", "requests", "a/b"]`, `/` is `[""]`. Nothing is normalized:
  /// `.`, `..` and empty segments stay as they are, and so match no route.
  ///
  /// - Returns: `nil` when `path` does not begin with `/`, or a segment is broken (400).
  package static func split(_ path: String) -> [String]? {
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    var result: [String] = []
    for segment in path.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let text = PercentCoding.decodeText(segment) else { return nil }
      result.append(text)
    }
    return result
  }
}

/// A query by the form rule: pairs between `&`, a `+` is a space, each part decoded exactly once.
package enum FormQuery {
  package struct Pair: Sendable, Equatable {
    package let name: String
    /// Empty when the pair has no `=`.
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All pairs in order, repeated names included; empty pairs (`&&`) are left out.
  ///
  /// - Returns: `nil` when any part has a broken escape or is no UTF-8 (400).
  package static func parse(_ query: String) -> [Pair]? {
    var result: [Pair] = []
    for part in query.utf8.split(separator: UInt8(ascii: "&")) {
      let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      let rest = end < part.endIndex ? part[part.index(after: end)...] : part[part.endIndex...]
      guard let name = PercentCoding.decodeText(part[..<end], plusIsSpace: true),
        let value = PercentCoding.decodeText(rest, plusIsSpace: true)
      else { return nil }
      result.append(Pair(name, value))
    }
    return result
  }

  /// A query of these pairs, by the same rule; a space is sent as `%20`.
  package static func encode(_ pairs: [Pair]) -> String {
    pairs.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }
      .joined(separator: "&")
  }
}
