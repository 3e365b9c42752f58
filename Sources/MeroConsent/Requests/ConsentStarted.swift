public import FoundationEssentials

/// A request that the node has taken, and that the person can decide on its page.
public struct ConsentStarted: Hashable, Sendable {
  public let requestId: String
  /// The consent page, on the node's own origin.
  public let url: String
  /// What the person compares with the page. Show it before the page opens.
  public let code: String
  /// When the request ends, by the node's clock.
  public let expiresAt: Date
  /// What was asked; it decides which outcome an approval has to come with.
  public let kind: ConsentKind

  public init(requestId: String, url: String, code: String, expiresAt: Date, kind: ConsentKind) {
    self.requestId = requestId
    self.url = url
    self.code = code
    self.expiresAt = expiresAt
    self.kind = kind
  }
}
