public import MeroConsent
public import Observation
import Synchronization

/// An app's session with its node, as its windows watch it: asks for consent, keeps what came of
/// it, and takes the returns that reach the app itself.
///
/// Its properties may be read and observed (`withObservationTracking`, `Observations`) from any
/// thread. They change on a thread of the library's: a toolkit with a main loop of its own moves
/// what it draws there (GTK: `g_idle_add`).
public final class MeroAppSession: Observable, Sendable {
  /// How requests reach the node.
  public enum Route: Sendable {
    case daemon(BrokerSession)
    /// By this program alone.
    case direct(MeroClient)
  }

  public let route: Route
  /// Where the page sends the person.
  public let callback: CloudCallback

  private struct State: Sendable {
    var run: (any ConsentRun)?
    var started: ConsentStarted?
    var result: ConsentResult?
    var error: BrokerError?
    var refusedReturn: BrokerError.Code?
    var revision = 0
    /// Whose approval was counted last: a decision is found more than once.
    var counted: String?
  }

  private let state = Mutex(State())
  private let registrar = ObservationRegistrar()

  /// - Parameters:
  ///   - route: how requests reach the node.
  ///   - callback: as `ConsentLauncher.decide` takes it.
  public init(route: Route, callback: CloudCallback = .loopback(port: 0, path: "return")) {
    self.route = route
    self.callback = callback
  }

  /// Through the daemon, where one answers; without one, by this program alone.
  ///
  /// - Parameters:
  ///   - session: the app's session with its node. Its `releases` are the daemon's to know: without
  ///     the daemon its `trust` counts.
  ///   - callback: as `ConsentLauncher.decide` takes it.
  ///   - daemon: where the daemon is looked for.
  ///   - onTokensChanged: only without the daemon, which keeps new tokens itself.
  /// - Throws: what `BrokerClient.openSession` throws, but for `DAEMON_UNAVAILABLE`; without a
  ///   daemon what `MeroClient.init` throws.
  public static func open(
    _ session: NodeSession, callback: CloudCallback = .loopback(port: 0, path: "return"),
    daemon: BrokerClient = BrokerClient(), onTokensChanged: MeroClient.TokensChanged? = nil
  ) async throws(BrokerError) -> MeroAppSession {
    do throws(BrokerError) {
      return MeroAppSession(
        route: .daemon(try await daemon.openSession(session)), callback: callback)
    } catch {
      guard error.code == .daemonUnavailable else { throw error }
    }
    do throws(ConsentError) {
      let client = try MeroClient(
        node: NodeAddress(session.nodeURL), trust: session.trust, tokens: session.tokens,
        origins: session.origins, returnTo: session.returnTo, onTokensChanged: onTokensChanged)
      return MeroAppSession(route: .direct(client), callback: callback)
    } catch {
      throw BrokerError(error)
    }
  }

  // MARK: What is known

  /// The newest request, while it waits and afterwards.
  public var consentStarted: ConsentStarted? { current.started }

  /// What the node said about the newest request; `nil` until it was asked.
  public var consentResult: ConsentResult? { current.result }

  /// Why the newest request has no decision, or why the last return confirmed none.
  public var consentError: BrokerError? { current.error }

  /// The newest return that confirmed nothing while the request waits: tell the person.
  public var refusedReturn: BrokerError.Code? { current.refusedReturn }

  /// Grows by one with each approval that changed an organization: read again what lists
  /// organizations, members or teams.
  public var revision: Int { current.revision }

  // MARK: Asking

  /// `ConsentLauncher.decide` with this session's callback; keeps the result.
  ///
  /// - Parameters:
  ///   - request: what the person is asked.
  ///   - confirm: called before the page opens; `false` leaves it closed.
  ///   - unopened: as `ConsentLauncher.decide` takes it.
  /// - Throws: what `ConsentLauncher.decide` throws; it is kept as `consentError` too.
  @discardableResult public func requestConsent(
    _ request: ConsentRequest, confirm: ConsentLauncher.Confirm? = nil,
    unopened: ConsentLauncher.Unopened? = nil
  ) async throws(BrokerError) -> ConsentResult {
    let before = state.withLock { $0.run }
    let run: any ConsentRun
    do throws(BrokerError) {
      run = try await begun(request)
    } catch {
      keep(error, of: before)
      throw error
    }
    begin(run)
    do throws(BrokerError) {
      let decision = try await ConsentLauncher.decide(run, confirm, unopened) { [weak self] code in
        self?.change { if $0.run === run { $0.refusedReturn = code } }
      }
      keep(decision.result, of: run)
      return decision.result
    } catch {
      keep(error, of: run)
      throw error
    }
  }

  private func begun(_ request: ConsentRequest) async throws(BrokerError) -> any ConsentRun {
    switch route {
    case .daemon(let session): try await DaemonRun(request, callback: callback, in: session)
    case .direct(let client): try await DirectRun(request, callback: callback, with: client)
    }
  }

  // MARK: Returns

  /// Takes a URL that the app was started or woken with. A return to this session's callback is
  /// checked against the newest request; its decision is kept as `consentResult`, and a refusal
  /// (`CONSENT_REQUEST_MISMATCH`, `CONSENT_NOT_DECIDED`, …) as `consentError`.
  ///
  /// - Returns: whether the URL was a return for this session.
  @discardableResult public func handle(_ url: String) async -> Bool {
    guard let returned = try? ReturnURL(url), isOurs(returned, url),
      let run = state.withLock({ $0.run })
    else { return false }
    do throws(BrokerError) {
      keep(try await run.confirm(returned: url), of: run)
    } catch {
      keep(error, of: run)
    }
    return true
  }

  private func isOurs(_ returned: ReturnURL, _ url: String) -> Bool {
    switch callback {
    case .scheme(let scheme, let path): returned.isReturn(toScheme: scheme, path: path)
    case .https, .loopback:
      url.prefix { $0 != "?" && $0 != "#" }.utf8.elementsEqual(callback.url.utf8)
    }
  }

  // MARK: State

  /// Watched as one: a decision changes several of it at once.
  private var current: State {
    registrar.access(self, keyPath: \.current)
    return state.withLock { $0 }
  }

  private func change(_ body: (inout State) -> Void) {
    registrar.withMutation(of: self, keyPath: \.current) { state.withLock { body(&$0) } }
  }

  private func begin(_ run: any ConsentRun) {
    change { state in
      (state.run, state.started) = (run, run.started)
      (state.result, state.error, state.refusedReturn) = (nil, nil, nil)
    }
  }

  private func keep(_ result: ConsentResult, of run: any ConsentRun) {
    change { state in
      if result.changesOrganizations, state.counted != result.requestId {
        state.counted = result.requestId
        state.revision += 1
      }
      // A newer request has the rest for itself.
      guard state.run === run else { return }
      (state.result, state.error) = (result, nil)
    }
  }

  private func keep(_ error: BrokerError, of run: (any ConsentRun)?) {
    change { state in
      if state.run === run { state.error = error }
    }
  }
}
