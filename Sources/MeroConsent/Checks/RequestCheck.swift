/// What a request has to be before it is sent.
package enum RequestCheck {
  /// Bytes of one id, name, token or host.
  package static let longestItem = 1024
  /// Items of one list.
  package static let mostItems = 256

  /// - Throws: `CONSENT_REQUEST_INVALID` naming the field, `CONSENT_RETURN_TO_NOT_ALLOWED`.
  package static func check(
    _ body: ConsentRequestBody, origins: PackageOrigins
  ) throws(ConsentError) {
    for (name, value) in body.fields {
      if name == .returnTo, case .text(let url) = value {
        try origins.check(returnTo: url)
      } else {
        try check(value, name.rawValue, isHost: name == .hosts)
      }
    }
  }

  private static func check(
    _ value: ConsentFieldValue, _ name: String, isHost: Bool
  ) throws(ConsentError) {
    switch value {
    case .text(let item), .secret(let item):
      try check(item: item, name)
    case .number(let number):
      guard number > 0 else { throw .requestInvalid(name, "has to be 1 or more") }
    case .flag, .mask: break
    case .list(let items):
      try check(count: items.count, name)
      for (index, item) in items.enumerated() {
        try check(item: item, "\(name)[\(index)]")
        guard !isHost || WebURL.hostAndPort(Array(item.utf8)[...]) != nil else {
          throw .requestInvalid("\(name)[\(index)]", "is neither a host name nor host:port")
        }
      }
    case .rows(let rows):
      try check(count: rows.count, name)
      for (index, row) in rows.enumerated() {
        try check(item: row.team, "\(name)[\(index)].team")
        if let role = row.role { try check(item: role.rawValue, "\(name)[\(index)].role") }
      }
    }
  }

  private static func check(count: Int, _ name: String) throws(ConsentError) {
    guard count > 0 else { throw .requestInvalid(name, "is empty") }
    guard count <= mostItems else {
      throw .requestInvalid(name, "has more than \(mostItems) items")
    }
  }

  private static func check(item: String, _ name: String) throws(ConsentError) {
    guard !item.isEmpty else { throw .requestInvalid(name, "is empty") }
    guard item.utf8.count <= longestItem else {
      throw .requestInvalid(name, "is longer than \(longestItem) bytes")
    }
  }
}

/// The origins that an app's package may send people back to: `links.frontend` and
/// `frontendAliases` of its manifest.
package struct PackageOrigins: Sendable {
  /// Empty where the session does not name them: then only the form of a URL is checked.
  private let origins: [String]

  /// - Throws: `CONSENT_REQUEST_INVALID` naming the origin that is none.
  package init(_ origins: [String]) throws(ConsentError) {
    guard origins.count <= RequestCheck.mostItems else {
      throw .requestInvalid("origins", "has more than \(RequestCheck.mostItems) items")
    }
    var parsed: [String] = []
    for (index, origin) in origins.enumerated() {
      guard let url = WebURL(origin), url.isPrivate, !url.hasUserInfo,
        url.path.isEmpty || url.path == "/", url.query == nil, url.fragment == nil
      else {
        throw .requestInvalid("origins[\(index)]", "is not an https origin (https://host)")
      }
      parsed.append(url.origin)
    }
    self.origins = parsed
  }

  /// - Throws: `CONSENT_RETURN_TO_NOT_ALLOWED`.
  package func check(returnTo: String) throws(ConsentError) {
    guard let url = WebURL(returnTo) else {
      throw .returnToNotAllowed("is not an absolute https URL")
    }
    guard url.isPrivate else {
      throw .returnToNotAllowed("is http and not on this machine")
    }
    guard !url.hasUserInfo else { throw .returnToNotAllowed("has user information in it") }
    guard url.fragment == nil else { throw .returnToNotAllowed("has a fragment (“#”)") }
    guard origins.isEmpty || origins.contains(url.origin) else {
      throw .returnToNotAllowed("is on an origin that is not the package's")
    }
  }
}
