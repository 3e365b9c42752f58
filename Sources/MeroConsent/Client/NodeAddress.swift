/// A node's base URL: https, or http on this machine; it may have a path prefix.
public struct NodeAddress: Hashable, Sendable, CustomStringConvertible {
  /// `https://host/node-7`: the scheme and host in lower case, no slash at the end.
  public let url: String
  /// `https://host`: what the node's own consent pages have to be on.
  package let origin: String
  /// In lower case; an IPv6 literal with its brackets.
  package let host: String
  /// Whether the host is this machine: `localhost`, `[::1]`, `127.x.y.z`.
  public let isLoopback: Bool

  /// - Throws: `CONSENT_REQUEST_INVALID` with the field `node.url`.
  public init(_ url: String) throws(ConsentError) {
    let field = "node.url"
    guard let parsed = WebURL(url) else {
      throw .requestInvalid(field, "is not an http or https URL")
    }
    guard parsed.isPrivate else {
      throw .requestInvalid(field, "has to be https unless the node is on this machine")
    }
    guard !parsed.hasUserInfo, parsed.query == nil, parsed.fragment == nil else {
      throw .requestInvalid(field, "has user information, a query or a fragment")
    }
    var path = parsed.path
    while path.hasSuffix("/") { path.removeLast() }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard segments.allSatisfy({ !["", ".", ".."].contains($0) }) else {
      throw .requestInvalid(field, "has an empty or a dot segment in its path")
    }
    origin = parsed.origin
    host = parsed.host
    isLoopback = parsed.isLoopback
    self.url = parsed.origin + path
  }

  public var description: String { url }

  /// Whether the host is an address and no name.
  package var hostIsLiteral: Bool {
    host.hasPrefix("[")
      || host.utf8.allSatisfy {
        $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }
}
