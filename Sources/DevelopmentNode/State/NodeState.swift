package import EventLoop

/// All that the node remembers but its sealed sessions. Pure: it is told the time.
package struct NodeState: Sendable {
  /// What tests and app developers may set while the node runs.
  package struct Settings: Sendable, Equatable {
    /// How long a request may be decided.
    package var requestLifetime: Duration = .seconds(600)
    package var tokenLifetime: Duration = .seconds(3600)
    /// How far the node's clock is off: in its dates, its expiries and its `Date` header.
    package var clockSkew: Duration = .zero
    /// Consent answers come as `{"data": …}`, as the node's admin API wraps them.
    package var wrapsAnswers = false
    /// Where the served page sends the person on to; `nil` where nobody listens.
    package var callback: Callback?

    package init() {}
  }

  package let place: NodePlace
  package var settings: Settings
  package var accounts = Accounts()
  package var organizations = Organizations()
  package var consents = ConsentBook()
  package var plan = MisbehaviourPlan()
  /// Callbacks that were set for one request.
  package var callbacks: [String: Callback] = [:]
  /// How often each call has come in, spoilt ones included.
  package var calls: [CallName: Int] = [:]

  package init(place: NodePlace, settings: Settings = Settings()) {
    self.place = place
    self.settings = settings
  }

  package mutating func issueTokens(to account: String, at now: WallInstant) -> Accounts.Tokens {
    accounts.issue(to: account, at: now, lifetime: settings.tokenLifetime)
  }
}
