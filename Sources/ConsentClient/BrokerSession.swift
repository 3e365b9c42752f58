import HTTP
public import MeroConsent

/// One session with the daemon: starts requests and reads their verified results.
///
/// Every call throws `KEY_REQUIRED` once the session is no more.
public final class BrokerSession: Sendable {
  /// Whoever has it reads this session's results.
  public let key: SessionKey
  public let client: BrokerClient

  init(key: SessionKey, of client: BrokerClient) {
    self.key = key
    self.client = client
  }

  // MARK: The session

  public func info() async throws(BrokerError) -> SessionInfo {
    try await send(call(.get, "/v1/session", canRepeat: true)).decode(SessionAnswer.self).info
  }

  /// Gives the daemon new tokens; undecided requests that waited for them are read at once.
  @discardableResult
  public func replaceTokens(_ tokens: SessionTokens) async throws(BrokerError) -> SessionInfo {
    // Not sent twice: the daemon may have renewed the first ones in between.
    let call = call(.patch, "/v1/session", canRepeat: false)
    return try await send(call.with(TokensBody(tokens))).decode(SessionAnswer.self).info
  }

  /// Asks the session's node whether everything works: that it is reached, proves itself, and
  /// takes the token. Nothing changes at the node.
  ///
  /// - Throws: `NODE_UNREACHABLE`, `NODE_UNTRUSTED`, `NODE_ERROR`, `SESSION_EXPIRED`.
  public func check() async throws(BrokerError) -> SessionCheck {
    try await send(call(.post, "/v1/session/check", canRepeat: true, asksNode: true))
      .decode(SessionCheck.self)
  }

  /// Ends the session: its undecided requests are cancelled, and its key is good for nothing.
  public func close() async throws(BrokerError) {
    let answer = try await send(call(.delete, "/v1/session", canRepeat: false))
    guard answer.status == 204 else { throw answer.problem }
  }

  // MARK: Requests

  /// Asks the node for consent. Show the answer's `code` before the page opens.
  ///
  /// - Parameters:
  ///   - request: what the person is asked.
  ///   - open: whether the daemon opens the page in the person's browser at once.
  ///   - idempotencyKey: 1 to 255 visible characters; a repeat with it answers the first one's
  ///     request, also after a restart. Without one, this call makes up its own, so that it can
  ///     be sent again when the daemon ends in between.
  /// - Throws: `CONSENT_REQUEST_INVALID` with `field`, `CONSENT_RETURN_TO_NOT_ALLOWED`,
  ///   `CONSENT_CODE_MISMATCH`, `CONSENT_PAGE_NOT_TRUSTED`, `NODE_…`, `SESSION_EXPIRED`,
  ///   `TOO_MANY`.
  public func start(
    _ request: ConsentRequest, open: Bool = false, idempotencyKey: String? = nil
  ) async throws(BrokerError) -> BrokerRequest {
    try await start(StartBody(request: request.generated(), open: open), idempotencyKey)
  }

  /// The same with a `returnTo` for a request that names none.
  func start(
    _ request: ConsentRequest, returnTo: String?
  ) async throws(BrokerError) -> BrokerRequest {
    let body = ConsentRequestBody(request, returnTo: returnTo)
    return try await start(StartBody(request: body, open: false), nil)
  }

  /// Has the daemon watch a request that the app started itself.
  public func record(
    _ started: ConsentStarted, open: Bool = false, idempotencyKey: String? = nil
  ) async throws(BrokerError) -> BrokerRequest {
    try await start(StartBody(started: started, open: open), idempotencyKey)
  }

  private func start(
    _ body: StartBody, _ idempotencyKey: String?
  ) async throws(BrokerError) -> BrokerRequest {
    let call = call(.post, "/v1/requests", canRepeat: true, asksNode: true)
    let named = try call.with(.idempotencyKey, idempotencyKey ?? Self.madeUpKey())
    return try await send(named.with(body)).request()
  }

  /// This session's requests, newest first, without secret outcomes.
  ///
  /// - Parameters:
  ///   - state: those in this state; all without one.
  ///   - limit: 1 to 200; the daemon's 50 without one.
  ///   - before: `next` of the page before.
  public func requests(
    in state: BrokerRequest.State? = nil, limit: Int? = nil, before: String? = nil
  ) async throws(BrokerError) -> BrokerRequestPage {
    let pairs = [
      state.map { FormQuery.Pair("state", $0.rawValue) },
      limit.map { FormQuery.Pair("limit", String($0)) },
      before.map { FormQuery.Pair("before", $0) },
    ].compactMap(\.self)
    var call = call(.get, "/v1/requests", canRepeat: true)
    call.query = pairs.isEmpty ? nil : FormQuery.encode(pairs)
    let list = try await send(call).decode(ListAnswer.self)
    return BrokerRequestPage(
      requests: list.requests.map { $0.request(version: "") }, next: list.next)
  }

  /// One request, with its outcome once it is approved.
  public func request(_ requestId: String) async throws(BrokerError) -> BrokerRequest {
    // The daemon may read an invite token again from the node.
    try await send(call(.get, path(requestId), canRepeat: true, asksNode: true)).request()
  }

  /// Opens the request's page in the person's browser; `opened` of the answer tells whether.
  ///
  /// - Parameters:
  ///   - requestId: as `start(_:open:idempotencyKey:)` answered it.
  ///   - activationToken: of the app's window, so that the browser may come to the front (Wayland).
  /// - Throws: `BROWSER_UNAVAILABLE`, whose advice has the address to open by hand.
  public func open(
    _ requestId: String, activationToken: String? = nil
  ) async throws(BrokerError) -> BrokerRequest {
    let call = call(.post, path(requestId) + "/open", canRepeat: false)
    guard let activationToken else { return try await send(call).request() }
    return try await send(call.with(PageBody(activationToken: activationToken))).request()
  }

  /// Confirms a return that the app received itself.
  ///
  /// - Throws: `RETURN_URL_MALFORMED`, `CONSENT_REQUEST_MISMATCH`, `CONSENT_NOT_DECIDED`,
  ///   `CONSENT_REPLACED`, `CONSENT_EXPIRED`, `NODE_…`, `SESSION_EXPIRED`.
  public func confirm(
    _ requestId: String, returned url: String
  ) async throws(BrokerError) -> BrokerRequest {
    let call = call(.post, path(requestId) + "/return", canRepeat: true, asksNode: true)
    return try await send(call.with(ReturnBody(url: url))).request()
  }

  /// Stops waiting for a request. One that is decided stays as it is.
  @discardableResult
  public func cancel(_ requestId: String) async throws(BrokerError) -> BrokerRequest {
    try await send(call(.delete, path(requestId), canRepeat: true)).request()
  }

  // MARK: Calls

  func call(
    _ method: HTTPMethod, _ path: String, canRepeat: Bool, asksNode: Bool = false
  ) -> DaemonCall {
    let options = client.options
    return DaemonCall(
      method, path, canRepeat: canRepeat, time: asksNode ? options.nodeTime : options.callTime)
  }

  func send(_ call: DaemonCall) async throws(BrokerError) -> DaemonAnswer {
    try await client.connector.call(call, key: key)
  }

  func path(_ requestId: String) -> String { "/v1/requests/" + PercentCoding.encode(requestId) }

  /// 128 random bits.
  private static func madeUpKey() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next(), radix: 16) + "-" + String(generator.next(), radix: 16)
  }
}
