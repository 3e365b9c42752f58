import EventLoop
import MeroConsent

/// A request that the daemon started and watches.
@LoopActor final class DaemonRun: ConsentRun {
  nonisolated let started: ConsentStarted
  var refused: ConsentLauncher.Refused?
  private let session: BrokerSession
  private var told: BrokerRequest.LastReturn?

  init(
    _ request: ConsentRequest, callback: CloudCallback?, in session: BrokerSession
  ) async throws(BrokerError) {
    let view = try await session.start(request, returnTo: callback?.webURL)
    guard let started = view.started else {
      throw BrokerError(
        .stopping, view.detail ?? "The consent daemon ended before the node answered. Ask again.",
        requestId: view.requestId)
    }
    self.started = started
    self.session = session
  }

  func openPage() async throws(BrokerError) {
    do throws(BrokerError) {
      _ = try await session.open(started.requestId)
    } catch {
      guard error.consentCode == .browserUnavailable else { throw error }
      throw BrokerError(
        error.code, error.advice, status: error.status, requestId: started.requestId,
        started: started)
    }
  }

  func decision() async throws(BrokerError) -> ConsentResult {
    let ended = try await session.decision(of: started.requestId) { await noted($0) }
    return try result(of: ended)
  }

  private func noted(_ request: BrokerRequest) async {
    guard let last = request.lastReturn, last != told, !request.state.isFinal else { return }
    told = last
    await refused?(BrokerError.Code(rawValue: last.code))
  }

  func standing() async -> ConsentResult {
    await soon { [session, started] in try? await session.request(started.requestId).result }
  }

  func confirm(returned url: String) async throws(BrokerError) -> ConsentResult {
    try await result(of: session.confirm(started.requestId, returned: url))
  }

  func end() { refused = nil }

  private func result(of request: BrokerRequest) throws(BrokerError) -> ConsentResult {
    switch request.state {
    case .approved, .declined: return request.result
    case .replaced: throw refusal(.replaced)
    case .expired: throw refusal(.expired)
    case .cancelled: throw refusal(.cancelled)
    case .failed:
      let advice = request.detail ?? ConsentError.Code.resultInvalid.advice
      throw BrokerError(
        request.failure ?? BrokerError.Code(ConsentError.Code.nodeError), advice,
        requestId: request.requestId)
    default:
      guard request.needsSession else {
        throw .answerInvalid("the state \(request.state.rawValue) is none that ends a wait")
      }
      throw BrokerError(
        BrokerError.Code(ConsentError.Code.sessionExpired),
        "The consent daemon has no usable tokens for the session any more: it was started again, or "
          + "the node takes them no longer. Replace them, and wait for the request again.",
        requestId: request.requestId)
    }
  }

  private func refusal(_ code: ConsentError.Code) -> BrokerError {
    BrokerError(BrokerError.Code(code), code.advice, requestId: started.requestId)
  }
}
