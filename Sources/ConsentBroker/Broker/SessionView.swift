package import FoundationEssentials
package import MeroConsent

/// Proof that a key was checked. Only `Broker.authenticate(key:)` makes one.
package struct Caller: Hashable, Sendable {
  package let session: String
}

/// `POST /v1/sessions`, decoded.
package struct SessionOpening: Sendable {
  package var package: String
  /// 64 hex digits.
  package var account: String?
  package var nodeURL: String
  /// `nil` for the configured releases, where there are any, and for nothing else.
  package var trust: SessionTrust?
  package var tokens: SessionTokens
  package var origins: [String]
  package var returnTo: String?

  package init(
    package: String, account: String?, nodeURL: String, trust: SessionTrust?,
    tokens: SessionTokens, origins: [String], returnTo: String?
  ) {
    self.package = package
    self.account = account
    self.nodeURL = nodeURL
    self.trust = trust
    self.tokens = tokens
    self.origins = origins
    self.returnTo = returnTo
  }
}

/// A session that was just opened: the only time its key is shown.
package struct OpenedSession: Sendable {
  package let session: String
  package let key: String
}

/// The caller's session. Never its tokens, never its key.
package struct SessionView: Sendable {
  package var session: String
  package var package: String
  package var account: String?
  package var nodeURL: String
  package var trust: SessionTrust
  package var origins: [String]
  package var returnTo: String?
  package var createdAt: Date
  /// Its tokens are gone (a restart, or the node refused to renew them): `PATCH` it.
  package var needsSession: Bool
}

/// A session whose node was reached, proved itself, and took the token.
package struct SessionCheck: Sendable {
  /// By this machine's clock.
  package let checkedAt: Date
  /// The node's own clock at that moment, in whole seconds; `nil` where it did not tell it.
  package let nodeClock: Date?
}
