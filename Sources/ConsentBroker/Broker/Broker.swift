package import EventLoop
import FoundationEssentials
package import MeroConsent

/// The one place where it is decided who may read what and what a return means.
///
/// Everything that an app, an event stream or a page is told was durable before. Calls that
/// take a `Caller` see that session's requests and no others (`Problem.notFound`). Every call
/// throws `.consent` with `CONFIGURATION_INVALID` or `STATE_UNAVAILABLE` while the daemon
/// could only start to say so, and `.stopping` once it ends.
@LoopActor package final class Broker {
  package init() {}

  // MARK: Sessions

  /// Opens a session with a node. The node is not asked.
  package func openSession(_ opening: SessionOpening) async throws(Problem) -> OpenedSession {
    throw .stopping
  }

  /// Finds the session of a bearer key, in constant time, and notes that it is in use.
  ///
  /// - Parameter key: what follows `Bearer `; `nil` without such a header.
  /// - Throws: `.unauthorized`.
  package func authenticate(key: String?) throws(Problem) -> Caller { throw .unauthorized }

  package func session(of caller: Caller) throws(Problem) -> SessionView { throw .notFound }

  /// Takes new tokens; undecided requests that waited for them are read again at once.
  package func replaceTokens(
    of caller: Caller, with tokens: SessionTokens
  ) async throws(Problem) -> SessionView { throw .notFound }

  /// Ends the session: its undecided requests are cancelled, its key is no session's any more.
  package func closeSession(of caller: Caller) async throws(Problem) {}

  // MARK: Requests

  /// Asks the node. The request is durable when this returns.
  ///
  /// - Parameters:
  ///   - open: whether to open the page in the person's browser.
  ///   - idempotencyKey: a repeat with it answers the first one's result, also after a restart.
  package func start(
    _ request: ConsentRequest, open: Bool, idempotencyKey: String?, for caller: Caller
  ) async throws(Problem) -> StartResult { throw .notFound }

  /// Records a request that the app started itself.
  package func record(
    _ started: ConsentStarted, open: Bool, idempotencyKey: String?, for caller: Caller
  ) async throws(Problem) -> StartResult { throw .notFound }

  /// The caller's requests, newest first, without outcomes that carry a secret.
  ///
  /// - Parameters:
  ///   - limit: 1 to `BrokerLimits.listLimit`.
  ///   - before: the `next` of an earlier list.
  package func list(
    state: RequestState?, limit: Int, before: String?, for caller: Caller
  ) async throws(Problem) -> RequestList { throw .notFound }

  /// One request. Reads an invite token again from the node where memory has lost it.
  package func get(_ requestId: String, for caller: Caller) async throws(Problem) -> RequestView {
    throw .notFound
  }

  /// Returns as soon as the request's tag is not `etag`, at the latest at `deadline`.
  package func wait(
    for requestId: String, changedFrom etag: String, until deadline: BootInstant,
    for caller: Caller
  ) async throws(Problem) -> WaitResult { throw .notFound }

  /// Opens the request's page in the person's browser, where there is still something to decide.
  package func open(
    _ requestId: String, for caller: Caller
  ) async throws(Problem) -> StartResult { throw .notFound }

  /// `confirmConsentReturn` with a URL that the app received itself: the decided request, or
  /// the refusal. A client that leaves in between changes nothing.
  package func confirm(
    _ requestId: String, returned url: String, for caller: Caller
  ) async throws(Problem) -> RequestView { throw .notFound }

  /// Stops waiting for a request. One that is finished stays as it is.
  package func cancel(_ requestId: String, for caller: Caller) async throws(Problem) -> RequestView
  {
    throw .notFound
  }

  // MARK: Events

  /// Subscribes to the caller's events.
  ///
  /// - Parameter after: `Last-Event-ID`; `nil` for what happens from now on.
  package func events(
    after: Int64?, for caller: Caller
  ) throws(Problem) -> EventSubscription { throw .notFound }

  // MARK: Returns, with no key

  /// Takes a return from the desktop's URL handler and judges it in the background.
  ///
  /// - Throws: `RETURN_URL_MALFORMED`, `.tooMany(.returns)`.
  package func accept(returned url: String) throws(Problem) {}

  /// Takes a return on the callback: `/return/{ticket}?query`, or `/return?query`.
  ///
  /// - Parameters:
  ///   - ticket: the bytes of the path after `/return/`, not decoded; `nil` for the bare path.
  ///   - rawQuery: what follows `?`; `nil` where there is none.
  package func callback(ticket: String?, rawQuery: String?) async -> CallbackAnswer {
    .unknownTicket
  }

  /// The page of `/done/{ticket}`. Waits a moment for a verdict that is being found, so that
  /// most people see no interim page; `checking` where it takes longer, `not-confirmed` where it
  /// takes very long.
  ///
  /// - Parameter deadline: the latest moment to answer.
  package func page(ticket: String, until deadline: BootInstant) async -> PageView {
    PageView(state: .unknown, kind: nil, app: nil)
  }

  // MARK: Status

  package func status() -> StatusView {
    StatusView(
      version: "", startedAt: .now, uptimeSeconds: 0, sessions: 0, undecidedRequests: 0,
      waits: 0, eventStreams: 0, nodesReachable: 0, nodesUnreachable: 0, state: .ok,
      stateReset: false)
  }
}

/// One event stream's place. Holds no queue: what it has not read yet stays in the ledger.
@LoopActor package final class EventSubscription {
  /// The next event, or `.quiet` at `deadline`. Call it again after each.
  package func next(until deadline: BootInstant) async -> EventDelivery { .stopping }

  /// Frees its place among the streams. Also done when the last reference goes.
  package func end() {}
}
