public import MeroConsent

/// Asks for consent and answers the decision: starts the request, shows its code, opens its page
/// and waits, in one call.
///
/// It works from any task, in a program with any main loop or none: nothing runs on the main
/// thread. One set of error codes serves both ways, through the daemon and without it.
public enum ConsentLauncher {
  /// Called with the request before its page opens: show `code` to the person. `false` leaves the
  /// page closed.
  public typealias Confirm = @Sendable (ConsentStarted) async -> Bool

  /// Called with the request when its page cannot be opened from here: show `url` and `code`.
  /// `true` waits for the decision all the same.
  public typealias Unopened = @Sendable (ConsentStarted) async -> Bool

  /// Called for each return of the person that did not confirm the request
  /// (`CONSENT_REQUEST_MISMATCH`, `CONSENT_NOT_DECIDED`, …): tell them. The wait goes on, since
  /// any page can send a browser here.
  public typealias Refused = @Sendable (BrokerError.Code) async -> Void

  /// What was asked, and what the node says about it.
  public typealias Decision = (started: ConsentStarted, result: ConsentResult)

  /// Through the daemon, which receives the return, and goes on also when this program ends.
  ///
  /// - Parameters:
  ///   - client: the app's session with the daemon.
  ///   - request: what the person is asked.
  ///   - callback: an https one is where the page sends the person, for a request that names no
  ///     `returnTo`; without one, the session's own or the daemon's.
  ///   - confirm: with `false`, the page is not opened, and the result as it stands is answered.
  ///   - unopened: asked when no browser can be opened; without it that is thrown.
  ///   - refused: told of each return that confirms nothing.
  /// - Returns: the result. When the task is cancelled, because the person closed the window, say:
  ///   the result as it stands, `pending` in most cases; the request goes on in the daemon.
  /// - Throws: what `BrokerSession.start` throws; `BROWSER_UNAVAILABLE`, with the request as
  ///   `started`; `CONSENT_REPLACED`, `CONSENT_EXPIRED`, `CONSENT_CANCELLED`; `SESSION_EXPIRED`
  ///   when the daemon needs new tokens to go on.
  @discardableResult public static func decide(
    client: BrokerSession, request: ConsentRequest, callback: CloudCallback? = nil,
    confirm: Confirm? = nil, unopened: Unopened? = nil, refused: Refused? = nil
  ) async throws(BrokerError) -> Decision {
    let run = try await DaemonRun(request, callback: callback, in: client)
    return try await decide(run, confirm, unopened, refused)
  }

  /// Without a daemon: a callback of this program's own receives the return.
  ///
  /// - Parameters:
  ///   - client: the app's own session with its node.
  ///   - request: what the person is asked.
  ///   - callback: `.loopback` listens on that port of 127.0.0.1 and ::1 (0: one that is free) for
  ///     as long as it takes; its path is `return`. With the other two the return arrives
  ///     elsewhere (`MeroAppSession.handle`), and the result is polled. An https one is where the
  ///     page sends the person for a request that names no `returnTo`; the loopback one is, where
  ///     neither request nor client names one, nor the client its package's origins.
  ///   - confirm: with `false`, the page is not opened, and the result as it stands is answered.
  ///   - unopened: asked when no browser can be opened; without it that is thrown.
  ///   - refused: told of each return that confirms nothing.
  /// - Returns: the result. When the task is cancelled: the result as it stands.
  /// - Throws: what `MeroClient.requestConsent` and `waitForConsent` throw; `BROWSER_UNAVAILABLE`,
  ///   with the request as `started`; `CONFIGURATION_INVALID` when another program has the port.
  @discardableResult public static func decide(
    client: MeroClient, request: ConsentRequest,
    callback: CloudCallback = .loopback(port: 0, path: "return"), confirm: Confirm? = nil,
    unopened: Unopened? = nil, refused: Refused? = nil
  ) async throws(BrokerError) -> Decision {
    let run = try await DirectRun(request, callback: callback, with: client)
    return try await decide(run, confirm, unopened, refused)
  }

  static func decide(
    _ run: any ConsentRun, _ confirm: Confirm?, _ unopened: Unopened?, _ refused: Refused?
  ) async throws(BrokerError) -> Decision {
    await run.tell(refused)
    do throws(BrokerError) {
      let result = try await result(of: run, confirm, unopened)
      await run.end()
      return (run.started, result)
    } catch {
      await run.end()
      throw error
    }
  }

  private static func result(
    of run: any ConsentRun, _ confirm: Confirm?, _ unopened: Unopened?
  ) async throws(BrokerError) -> ConsentResult {
    if let confirm, await !confirm(run.started) { return await standing(run) }
    guard !Task.isCancelled else { return await standing(run) }
    do throws(BrokerError) {
      do throws(BrokerError) {
        try await run.openPage()
      } catch {
        guard error.consentCode == .browserUnavailable, let unopened, await unopened(run.started)
        else { throw error }
      }
      return try await run.decision()
    } catch {
      guard error.isCancellation, Task.isCancelled else { throw error }
      return await standing(run)
    }
  }

  /// The result as it stands, also for a task that is cancelled: in a task of its own, and not
  /// for long.
  private static func standing(_ run: any ConsentRun) async -> ConsentResult {
    await Task { await run.standing() }.value
  }
}

extension BrokerError {
  var isCancellation: Bool {
    code == .callCancelled || code == BrokerError.Code(ConsentError.Code.cancelled)
  }

  /// The protocol's own error, as this library's calls throw it.
  public init(_ error: ConsentError) {
    self.init(
      Code(error.code), error.advice, requestId: error.started?.requestId, field: error.field,
      nodeStatus: error.nodeStatus, started: error.started)
  }
}
