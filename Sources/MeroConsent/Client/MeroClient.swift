package import Desktop
import EventLoop
package import FoundationEssentials
package import Sealed
package import TDXQuote

/// One account's session with one node: asks for consent, and reads what came of it.
///
/// Everything goes through the sealed transport; nothing is ever sent in the clear. Calls may be
/// made from anywhere and at the same time. A cancelled task throws `CONSENT_CANCELLED`.
/// Close it when it is of no use any more; without that, its keys stay in memory until the
/// session's time is over, an hour at most.
public final class MeroClient: Sendable {
  /// What a client keeps to. All times are the node's transfers'.
  public struct Options: Sendable {
    /// How long opening a connection may take. 5 s.
    public var connectLimit: Duration = .seconds(5)
    /// How long a whole call may take. 30 s.
    public var callLimit: Duration = .seconds(30)

    public init() {}
  }

  /// Called with each new pair of tokens, before a request uses them: keep them, the old ones
  /// are spent.
  public typealias TokensChanged = @Sendable (SessionTokens) async -> Void

  public let node: NodeAddress
  private let core: ClientCore
  private let browser: PageOpener
  private let transport: any NodeTransport
  /// It was made with neither a `returnTo` nor the package's origins: a callback on this machine may
  /// be where the page sends the person.
  package let namesNoReturn: Bool

  /// Nothing is sent before the first request.
  ///
  /// - Parameters:
  ///   - node: its address.
  ///   - trust: how it proves that it is the one.
  ///   - tokens: of the account's session with it.
  ///   - origins: the package's own (`links.frontend`, `frontendAliases`), where known: `returnTo`
  ///     has to be on one of them.
  ///   - returnTo: for requests that name none.
  ///   - options: the limits of each call.
  ///   - onTokensChanged: called with each new pair of tokens.
  /// - Throws: `CONSENT_REQUEST_INVALID` for a key, measurements or an origin that is none;
  ///   `CONSENT_RETURN_TO_NOT_ALLOWED`; `NODE_UNTRUSTED` for a development node that is not on
  ///   this machine, and where no trust is configured.
  public convenience init(
    node: NodeAddress, trust: NodeTrust, tokens: SessionTokens, origins: [String] = [],
    returnTo: String? = nil, options: Options = Options(), onTokensChanged: TokensChanged? = nil
  ) throws(ConsentError) {
    try self.init(
      node: node, trust: trust, tokens: tokens, origins: origins, returnTo: returnTo,
      carrier: {
        var limits = CarrierLimits()
        limits.connect = options.connectLimit
        limits.call = options.callLimit
        return CurlCarrier(node: node, limits: limits)
      }, clock: .system, onTokensChanged: onTokensChanged)
  }

  /// Over any carrier, by any clock: for tests against a node in memory. (The channel's own
  /// times are the machine's.)
  ///
  /// - Parameters:
  ///   - carrier: makes one, for each trust another.
  ///   - verifier: tests bring one that trusts a root of their own.
  package convenience init(
    node: NodeAddress, trust: NodeTrust, tokens: SessionTokens, origins: [String] = [],
    returnTo: String? = nil, carrier: @escaping @Sendable () -> any Carrier, clock: ClientClock,
    verifier: QuoteVerifier = QuoteVerifier(), onTokensChanged: TokensChanged? = nil
  ) throws(ConsentError) {
    let transport = try SealedTransport(trust) { trust throws(ConsentError) in
      let record = AttestationRecord()
      let judge = try KeyTrust(
        trust, of: node, verifier: verifier, now: clock.now, record: record)
      let channel = SealedChannel(
        on: LoopActor.shared, carrier: carrier(), trust: judge,
        clock: SealedClock(now: ClientClock.system.uptime, sleep: ClientClock.system.sleep))
      return TransportLine(channel, trust, judge, record)
    }
    try self.init(
      node: node, tokens: tokens, origins: origins, returnTo: returnTo, transport: transport,
      clock: clock, onTokensChanged: onTokensChanged)
  }

  /// Over any transport: for tests of what is above the sealed channel.
  package init(
    node: NodeAddress, tokens: SessionTokens, origins: [String], returnTo: String?,
    transport: any NodeTransport, clock: ClientClock, browser: PageOpener = PageOpener(),
    onTokensChanged: TokensChanged?
  ) throws(ConsentError) {
    try Self.check(tokens)
    namesNoReturn = returnTo == nil && origins.isEmpty
    let origins = try PackageOrigins(origins)
    if let returnTo { try origins.check(returnTo: returnTo) }
    self.node = node
    self.browser = browser
    self.transport = transport
    core = ClientCore(
      node: node, origins: origins, returnTo: returnTo, tokens: tokens, transport: transport,
      clock: clock, onTokensChanged: onTokensChanged)
  }

  /// What the node proved when it was attested last: `nil` before the first call, where its key
  /// is pinned, and after an attestation that failed.
  public var attestation: NodeAttestation? { get async { await transport.lastAttestation } }

  /// The same, for who is on the loop already.
  @LoopActor package var lastAttestation: NodeAttestation? { transport.lastAttestation }

  /// Asks the node; the person decides on its page.
  ///
  /// - Parameters:
  ///   - request: what the person is asked.
  ///   - returnTo: for a request that names none; else the client's own.
  /// - Throws: `CONSENT_REQUEST_INVALID`, `CONSENT_RETURN_TO_NOT_ALLOWED` before anything is
  ///   sent; `CONSENT_PAGE_NOT_TRUSTED`, `CONSENT_CODE_MISMATCH` for an answer that must not be
  ///   shown; `NODE_…`, `SESSION_EXPIRED`.
  public func requestConsent(
    _ request: ConsentRequest, returnTo: String? = nil
  ) async throws(ConsentError) -> ConsentStarted {
    try await core.start(request, returnTo: returnTo).started
  }

  /// The decision now.
  ///
  /// An outcome is checked against the kind of the request where this client started it.
  /// - Throws: `CONSENT_RESULT_INVALID`, `CONSENT_REPLACED`, `NODE_…`, `SESSION_EXPIRED`.
  public func consentResult(_ requestId: String) async throws(ConsentError) -> ConsentResult {
    try await core.read(requestId, kind: nil).answer.get()
  }

  /// The decision now, on a request that may have been started elsewhere.
  public func consentResult(
    _ requestId: String, kind: ConsentKind
  ) async throws(ConsentError) -> ConsentResult {
    try await core.read(requestId, kind: kind).answer.get()
  }

  /// After the page sent the person back: the result of the request that the app started.
  ///
  /// The URL is a hint; what it says about the decision is not read.
  /// - Throws: `RETURN_URL_MALFORMED`; `CONSENT_REQUEST_MISMATCH` when it names another request
  ///   (the node is not asked); `CONSENT_REPLACED`; `CONSENT_NOT_DECIDED`; and what
  ///   `consentResult` throws.
  public func confirmConsentReturn(
    _ started: ConsentStarted, returned url: String
  ) async throws(ConsentError) -> ConsentResult {
    try await confirmConsentReturn(started, returned: ReturnURL(url))
  }

  /// The same with a return that was read before.
  public func confirmConsentReturn(
    _ started: ConsentStarted, returned: ReturnURL
  ) async throws(ConsentError) -> ConsentResult {
    try await core.confirm(started, returned: returned)
  }

  /// Polls until the request is decided: at once, after 1 s, then ever slower, to 15 s. A read
  /// that fails does not end the wait.
  ///
  /// - Throws: `CONSENT_REPLACED`; `CONSENT_EXPIRED` when the last read, at `expiresAt`, finds
  ///   no decision; what that read throws when it fails.
  public func waitForConsent(_ started: ConsentStarted) async throws(ConsentError) -> ConsentResult
  {
    try await core.wait(for: started)
  }

  /// Asks, then opens the page in the person's browser. Nothing is asked where no browser can be
  /// opened.
  ///
  /// That the page is really seen cannot be known: show the code and the link as well.
  /// - Throws: what `requestConsent` throws; `BROWSER_UNAVAILABLE`, which has the request as
  ///   `started` where it was asked all the same.
  @discardableResult public func openConsentPage(
    _ request: ConsentRequest, options: ConsentPageOptions = ConsentPageOptions()
  ) async throws(ConsentError) -> ConsentStarted {
    do {
      try await browser.check()
    } catch {
      throw ConsentError(error)
    }
    let started = try await requestConsent(request, returnTo: options.returnTo)
    if let confirm = options.confirm, await !confirm(started) { return started }
    try await openPage(of: started)
    return started
  }

  /// Opens the page of a request that was started before.
  ///
  /// - Throws: `BROWSER_UNAVAILABLE`, with the request as `started`.
  public func openPage(of started: ConsentStarted) async throws(ConsentError) {
    try check(started)
    do {
      _ = try await browser.open(started.url)
    } catch {
      throw ConsentError(error, started: started)
    }
  }

  /// Uses these tokens from now on, also after the node refused to renew the old ones.
  ///
  /// - Throws: `CONSENT_REQUEST_INVALID` for a token that no header field can hold.
  public func replaceTokens(_ tokens: SessionTokens) async throws(ConsentError) {
    try Self.check(tokens)
    await core.replaceTokens(tokens)
  }

  private static func check(_ tokens: SessionTokens) throws(ConsentError) {
    guard let field = tokens.unusableField else { return }
    throw .requestInvalid(field, "is empty, longer than 16 KiB, or has signs that no token has")
  }

  /// The package says something else of where a page may send the person: for requests from now on.
  ///
  /// - Throws: `CONSENT_REQUEST_INVALID`, `CONSENT_RETURN_TO_NOT_ALLOWED`: all is as it was.
  package func change(origins: [String], returnTo: String?) async throws(ConsentError) {
    let origins = try PackageOrigins(origins)
    if let returnTo { try origins.check(returnTo: returnTo) }
    await core.change(origins: origins, returnTo: returnTo)
  }

  /// As `NodeTransport.change`: the tokens stay the same ones for all calls, old and new.
  package func change(to trust: NodeTrust?) async -> TrustChange {
    await transport.change(to: trust)
  }

  /// As `NodeTransport.endDistrusted`.
  package func endDistrusted() async { await transport.endDistrusted() }

  /// Returns once no renewal of the tokens is under way. A client that is closed in the middle of
  /// one leaves tokens that are spent: the node takes each refresh token once.
  package func refreshEnds() async { await core.refreshEnds() }

  /// Ends every call with `CONSENT_CANCELLED`, wipes keys and tokens. The client is of no use
  /// afterwards.
  public func close() async { await core.close() }
}

extension ConsentError {
  /// Says why, and the address to open by hand where there is one.
  fileprivate init(_ error: PageUnavailable, started: ConsentStarted? = nil) {
    let next =
      started.map { "Open this address by hand and compare the code: \($0.url)" }
      ?? "Nothing was asked. Ask from where a browser can be opened."
    self.init(
      .browserUnavailable, advice: "\(error.sentence) \(next)", started: started, cause: error)
  }
}

extension MeroClient {
  /// The decision or why there is none, and the node's clock at that moment where it said so: also
  /// that a request is gone means one thing before its end and another one after it.
  package struct Reading: Sendable {
    /// `CONSENT_REPLACED` for the node's 404, whatever the time.
    package let answer: Result<ConsentResult, ConsentError>
    package let nodeDate: Date?

    package init(answer: Result<ConsentResult, ConsentError>, nodeDate: Date?) {
      (self.answer, self.nodeDate) = (answer, nodeDate)
    }
  }

  /// What the daemon needs to know about a request that it started.
  package struct Started: Sendable {
    package let started: ConsentStarted
    /// How long the request lives from now: `expiresAt` less the node's own `Date`, else less
    /// this machine's clock; at most 24 h.
    package let lifetime: Duration
    /// Whether the node gave more than 24 h.
    package let lifetimeCut: Bool
    /// When the time that it is given is over, by the node's clock.
    package let expiresAtByNode: Date
    /// Whether the answer had the node's `Date`.
    package let lifetimeIsByNode: Bool
  }

  /// `requestConsent`, with the lifetime by the node's clock.
  package func start(
    _ request: ConsentRequest, returnTo: String? = nil
  ) async throws(ConsentError) -> Started {
    try await core.start(request, returnTo: returnTo)
  }

  /// Reads a result by its id, for a request of an earlier run.
  package func read(_ requestId: String, kind: ConsentKind?) async -> Reading {
    await core.read(requestId, kind: kind)
  }

  /// Whether the node can be reached, proves itself and takes the session's token, which is
  /// renewed where it has expired. Nothing changes at the node.
  ///
  /// - Returns: the node's clock, where it tells it; it has whole seconds.
  /// - Throws: as every other call does.
  package func check() async throws(ConsentError) -> Date? { try await core.check() }

  /// Checks a request that an app started itself, as if this client had: its page is on the
  /// node's own origin and names it, its code is the page's.
  package func check(_ started: ConsentStarted) throws(ConsentError) {
    try StartedCheck.checkOwn(started, node: node)
  }
}

extension MeroClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "MeroClient(\(node))" }
  public var debugDescription: String { description }
  /// The node only: what is below holds tokens and keys.
  public var customMirror: Mirror { Mirror(self, children: ["node": node.url]) }
}
