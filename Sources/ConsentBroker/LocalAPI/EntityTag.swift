import HTTP

/// `If-None-Match` (RFC 9110, section 13.1.2).
enum EntityTagCondition: Equatable {
  /// `*`: whatever there is.
  case any
  /// Opaque tags with their quotes, without `W/`: here the comparison is weak.
  case tags([String])

  /// How many tags are read; a client has one, or the few versions that it keeps.
  static let maximumTags = 64

  /// - Parameter values: the header's values, one for each line, in order.
  /// - Returns: `nil` without the header, or when any of it is malformed: then there is no
  ///   condition, and the client gets the whole answer.
  init?(_ values: [String]) {
    guard !values.isEmpty else { return nil }
    if values.count == 1, values[0].utf8.elementsEqual("*".utf8) {
      self = .any
      return
    }
    var tags: [String] = []
    for value in values {
      guard let more = Self.parse(value[...]), tags.count + more.count <= Self.maximumTags else {
        return nil
      }
      tags += more
    }
    guard !tags.isEmpty else { return nil }
    self = .tags(tags)
  }

  /// Whether a resource whose tag is `etag` meets the condition of being known already.
  func matches(_ etag: String) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains { $0.utf8.elementsEqual(etag.utf8) }
    }
  }

  private static func parse(_ text: Substring) -> [String]? {
    var tags: [String] = []
    var rest = text.trimmingBlanks()
    while !rest.isEmpty {
      if rest.hasPrefix(",") {
        rest = rest.dropFirst().trimmingBlanks()
        continue
      }
      if rest.hasPrefix("W/") { rest = rest.dropFirst(2) }
      guard rest.hasPrefix("\""), let end = rest.dropFirst().firstIndex(of: "\"") else {
        return nil
      }
      tags.append(String(rest[...end]))
      rest = rest[rest.index(after: end)...].trimmingBlanks()
      guard rest.isEmpty || rest.hasPrefix(",") else { return nil }
    }
    return tags
  }
}
