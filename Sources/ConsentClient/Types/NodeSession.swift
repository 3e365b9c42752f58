public import FoundationEssentials
public import MeroConsent

/// A node session that an app lends to the daemon, so that it can ask and read in the app's name.
public struct NodeSession: Sendable {
  /// The app's package: `com.example.notes`.
  public var package: String
  /// The account, 64 hex digits, where the app knows it. A newer request of one account replaces
  /// its undecided one.
  public var account: String?
  /// The node's address, path included: `https://node.example/node-7`.
  public var nodeURL: String
  /// How the node proves that it is the one. `.unconfigured`: the releases that the daemon's
  /// configuration trusts, or, where there are none, a development node.
  public var trust: NodeTrust
  /// Releases that the daemon's configuration trusts, in place of `trust`: nothing else will do.
  public var releases: TrustedReleases?
  public var tokens: SessionTokens
  /// The package's own origins, where known: `returnTo` has to be on one of them.
  public var origins: [String]
  /// For requests that name none.
  public var returnTo: String?

  public init(
    package: String, account: String? = nil, nodeURL: String, trust: NodeTrust = .unconfigured,
    releases: TrustedReleases? = nil, tokens: SessionTokens, origins: [String] = [],
    returnTo: String? = nil
  ) {
    self.package = package
    self.account = account
    self.nodeURL = nodeURL
    self.trust = trust
    self.releases = releases
    self.tokens = tokens
    self.origins = origins
    self.returnTo = returnTo
  }
}

/// Releases that the daemon's configuration trusts (`[Release NAME]`).
public enum TrustedReleases: Sendable, Hashable {
  case all
  /// Those of these names.
  case named([String])
}

/// A session as the daemon has it. Never its tokens, never its key.
public struct SessionInfo: Sendable, Hashable {
  /// `s_…`: a name for it, no secret.
  public let session: String
  public let package: String
  public let account: String?
  public let nodeURL: String
  public let origins: [String]
  public let returnTo: String?
  public let createdAt: Date
  /// The daemon has no tokens for it any more: `replaceTokens` brings its requests back to life.
  public let needsSession: Bool
}

/// A session whose node was reached, proved itself, and took the token.
public struct SessionCheck: Sendable, Hashable, Decodable {
  /// By this machine's clock.
  public let checkedAt: Date
  /// The node's own clock at that moment, in whole seconds; `nil` where it did not tell it.
  public let nodeClock: Date?
}
