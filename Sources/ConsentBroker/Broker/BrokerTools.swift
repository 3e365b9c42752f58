package import Desktop
import EventLoop
package import FoundationEssentials
import HTTP
package import MeroConsent

/// What the broker is told once, at its start.
package struct BrokerSettings: Sendable {
  package var version: String
  package var sessionTimeout: Duration
  package var retention: Duration
  package var client: MeroClient.Options
  package var waits: WaitLimits

  package init(
    version: String, sessionTimeout: Duration = .hours(8), retention: Duration = .days(30),
    client: MeroClient.Options = MeroClient.Options(),
    waits: WaitLimits = WaitLimits(connections: HTTPLimits.unixSocket.connections)
  ) {
    self.version = version
    self.sessionTimeout = sessionTimeout
    self.retention = retention
    self.client = client
    self.waits = waits
  }
}

/// Whom the broker asks, and the clock that people set. Tests bring their own.
package struct BrokerTools: Sendable {
  /// What a client is made of.
  package struct ClientParts: Sendable {
    package let node: NodeAddress
    package let trust: NodeTrust
    package let tokens: SessionTokens
    package let origins: [String]
    package let returnTo: String?
    package let options: MeroClient.Options
    package let onTokensChanged: MeroClient.TokensChanged
  }

  package var now: @Sendable () -> Date = { Date() }
  package typealias ClientMaker = @Sendable (ClientParts) throws(ConsentError) -> MeroClient

  package var makeClient = Self.client

  /// Over HTTPS; a quote is verified to Intel's root, and to no other.
  package static let client: ClientMaker = { parts throws(ConsentError) in
    try MeroClient(
      node: parts.node, trust: parts.trust, tokens: parts.tokens, origins: parts.origins,
      returnTo: parts.returnTo, options: parts.options, onTokensChanged: parts.onTokensChanged)
  }
  /// Opens a page in the person's browser.
  package typealias PageOpener =
    @LoopActor @Sendable (_ url: String, ActivationToken?) async throws(PageUnavailable) ->
    PageOpening

  package var openPage: PageOpener
  /// Keeps tokens over a restart; `nil` where nobody would.
  package var secrets: SessionSecrets?
  /// Where verdicts wait for a disk that takes none; `nil` where there is no such place, and they
  /// are not told before.
  var verdictNotes: VerdictNotes?

  package init(openPage: @escaping PageOpener) { self.openPage = openPage }
}

/// Where the callback listens.
package struct CallbackAddress: Sendable, Equatable {
  package let port: UInt16
  package let hasIPv4: Bool
  package let hasIPv6: Bool
  /// `http://127.0.0.1:<port>/return`, and the same on `[::1]`; `nil` where it is not listening.
  let ipv4: String?
  let ipv6: String?

  package init(port: UInt16, hasIPv4: Bool, hasIPv6: Bool) {
    self.port = port
    self.hasIPv4 = hasIPv4
    self.hasIPv6 = hasIPv6
    ipv4 = hasIPv4 ? "http://127.0.0.1:\(port)/return" : nil
    ipv6 = hasIPv6 ? "http://[::1]:\(port)/return" : nil
  }

  /// An address literal: a browser may have learned to use https for the name localhost.
  func address(of ticket: String) -> String? { (ipv4 ?? ipv6).map { "\($0)/\(ticket)" } }
}
