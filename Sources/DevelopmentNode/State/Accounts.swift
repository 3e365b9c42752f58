package import EventLoop

/// The accounts of the node, and the tokens it gave out.
///
/// Not modelled: passwords, passkeys and signatures. An access token looks like a JWT, so that
/// clients find its `sub` and `exp`, but the node knows its tokens by looking them up.
package struct Accounts {
  /// A pair as an app gets it.
  package struct Tokens: Equatable, Sendable {
    package let access: String
    package let refresh: String

    package init(access: String, refresh: String) {
      self.access = access
      self.refresh = refresh
    }
  }

  /// What a bearer token is worth.
  package enum Bearer: Equatable, Sendable {
    case account(String)
    case expired
    case revoked
    case unknown
  }

  /// Tokens remembered at once; the oldest are forgotten first, and are then unknown.
  package static let tokenLimit = 1_000

  private struct Grant {
    let account: String
    var expiresAt: WallInstant
    var revoked = false
  }

  private var grants: [String: Grant] = [:]
  private var accounts: [String: String] = [:]
  private var order: [(access: String, refresh: String)] = []

  package init() {}

  /// A new account: 32 bytes in hex, as the node's accounts are.
  package func newAccount() -> String { Names.hex(bytes: 32) }

  /// A new pair for an account. Pairs given out before stay good.
  package mutating func issue(
    to account: String, at now: WallInstant, lifetime: Duration
  ) -> Tokens {
    let expiresAt = now + lifetime
    let tokens = Tokens(
      access: JWT.unsigned(subject: account, issuedAt: now, expiresAt: expiresAt),
      refresh: "refresh-" + Names.hex(bytes: 32))
    grants[tokens.access] = Grant(account: account, expiresAt: expiresAt)
    accounts[tokens.refresh] = account
    order.append((tokens.access, tokens.refresh))
    if order.count > Self.tokenLimit {
      let oldest = order.removeFirst()
      grants[oldest.access] = nil
      accounts[oldest.refresh] = nil
    }
    return tokens
  }

  /// Whose token it is, if it is good now.
  package func bearer(_ access: String, at now: WallInstant) -> Bearer {
    guard let grant = grants[access] else { return .unknown }
    if grant.revoked { return .revoked }
    return now < grant.expiresAt ? .account(grant.account) : .expired
  }

  /// Takes a pair back and gives a new one. A refresh token is good once, and only together with
  /// an access token of the same account.
  ///
  /// - Returns: `nil` when it is refused.
  package mutating func refresh(
    _ old: Tokens, at now: WallInstant, lifetime: Duration
  ) -> Tokens? {
    guard let account = accounts[old.refresh], grants[old.access]?.account == account else {
      return nil
    }
    accounts[old.refresh] = nil
    return issue(to: account, at: now, lifetime: lifetime)
  }

  /// Every access token of the account is expired from now on; it can be refreshed.
  package mutating func expireTokens(of account: String, at now: WallInstant) {
    for (token, grant) in grants where grant.account == account && now < grant.expiresAt {
      grants[token]?.expiresAt = now
    }
  }

  /// No token of the account is good any more, refresh tokens included.
  package mutating func revokeTokens(of account: String) {
    for (token, grant) in grants where grant.account == account { grants[token]?.revoked = true }
    accounts = accounts.filter { $0.value != account }
  }
}
