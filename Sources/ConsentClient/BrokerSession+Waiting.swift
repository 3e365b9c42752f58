import EventLoop
import HTTP

extension BrokerSession {
  /// Waits until a request is not what it was.
  ///
  /// - Parameters:
  ///   - known: as `request(_:)`, `start(_:)` or this call answered it.
  ///   - time: at most 300 s, which is the daemon's limit.
  /// - Returns: `nil` when the time was up.
  public func change(
    of known: BrokerRequest, within time: Duration
  ) async throws(BrokerError) -> BrokerRequest? {
    let seconds = min(max(Int(time.components.seconds), 1), WaitLimits.longest)
    var call = call(.get, path(known.requestId), canRepeat: true)
    call.time = .seconds(seconds) + client.options.callTime
    let answer = try await send(
      call.with(.ifNoneMatch, known.version.isEmpty ? nil : known.version)
        .with(.prefer, "wait=\(seconds)"))
    return answer.status == 304 ? nil : try answer.request()
  }

  /// Waits until the request is decided, or ended otherwise: see `BrokerRequest.state`.
  ///
  /// It goes on over restarts of the daemon. It also returns when the daemon needs new tokens to
  /// go on (`needsSession`): replace them and call it again. Cancel the task to stop waiting; the
  /// request goes on.
  ///
  /// - Parameters:
  ///   - requestId: as `start(_:open:idempotencyKey:)` answered it.
  ///   - onChange: is told how the request stands, first as it is and then each time that something
  ///     about it changes, such as `lastReturn`.
  public func decision(
    of requestId: String, onChange: @Sendable (BrokerRequest) async -> Void = { _ in }
  ) async throws(BrokerError) -> BrokerRequest {
    try await Waiting(for: requestId, in: self).decision(onChange)
  }
}

enum WaitLimits {
  /// Seconds that the daemon holds a wait at most.
  static let longest = 300
  /// How long each wait of `decision(of:)` is held.
  static let hold: Duration = .seconds(60)
  /// Between two calls that were answered at once: a daemon that does not hold, or a request that
  /// changes all the time, is not hammered.
  static let pace: Duration = .milliseconds(600)
  /// Between attempts while the daemon does not answer, from the first to the longest.
  static let firstRetry: Duration = .milliseconds(250)
  static let longestRetry: Duration = .seconds(4)
  /// The longest `Retry-After` that is obeyed to the letter, in seconds.
  static let longestRetryAfter = 60
}

/// One wait for a decision.
@LoopActor private final class Waiting {
  private let requestId: String
  private let session: BrokerSession
  private var retry = WaitLimits.firstRetry
  /// Since when the daemon has not answered.
  private var silentSince: BootInstant?

  init(for requestId: String, in session: BrokerSession) {
    self.requestId = requestId
    self.session = session
  }

  func decision(
    _ onChange: @Sendable (BrokerRequest) async -> Void = { _ in }
  ) async throws(BrokerError) -> BrokerRequest {
    var known: BrokerRequest?
    while true {
      let begin = BootInstant.now
      let isWait = known != nil
      if let answer = try await next(after: known) {
        known = answer
        await onChange(answer)
        if answer.state.isFinal || answer.needsSession { return answer }
      }
      // The first look is followed by a wait at once.
      if isWait { try await pause(until: begin + WaitLimits.pace) }
    }
  }

  private func next(after known: BrokerRequest?) async throws(BrokerError) -> BrokerRequest? {
    do throws(BrokerError) {
      let answer =
        if let known {
          try await session.change(of: known, within: WaitLimits.hold)
        } else {
          try await session.request(requestId)
        }
      silentSince = nil
      retry = WaitLimits.firstRetry
      return answer
    } catch {
      try await pause(after: error)
      return nil
    }
  }

  /// Waits where waiting helps.
  ///
  /// - Throws: `error` itself where it does not.
  private func pause(after error: BrokerError) async throws(BrokerError) {
    switch error.code {
    case .tooMany, .stopping:
      let seconds = min(max(error.retryAfter ?? 1, 1), WaitLimits.longestRetryAfter)
      try await pause(until: .now + .seconds(seconds))
    case .daemonUnavailable, .timedOut:
      let since = silentSince ?? .now
      silentSince = since
      guard since + session.client.options.patience > .now else { throw error }
      try await pause(until: .now + retry)
      retry = min(retry * 2, WaitLimits.longestRetry)
    default: throw error
    }
  }

  private func pause(until moment: BootInstant) async throws(BrokerError) {
    do { try await LoopActor.sleep(until: moment) } catch { throw .cancelled }
  }
}
