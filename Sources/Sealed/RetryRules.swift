/// What may be repeated: only what the node says it did not run, each kind once.
///
/// One value counts for one caller's request, or for one opening of a session.
struct RetryRules {
  enum Step: Equatable {
    /// Send the same again after this pause.
    case again(after: Duration)
    /// Open a new session, then send again.
    case newSession
    /// Attest again, open a new session, then send again.
    case newAttestation
  }

  private var seen: Set<NodeRefusal.Code> = []

  /// The step after `error`, or `nil` when it is final.
  mutating func step(after error: SealedError) -> Step? {
    guard case .refused(let refusal) = error, let code = refusal.known else { return nil }
    guard seen.insert(code).inserted else { return nil }
    switch code {
    case .staleTransportKey: return .newAttestation
    case .unknownSession: return .newSession
    case .busy: return .again(after: Self.pause(refusal.retryAfter))
    case .malformed, .unsupportedVersion, .undecryptable, .replayedRequest, .tooLarge,
      .sealedRequired:
      return nil
    }
  }

  private static func pause(_ seconds: Int?) -> Duration {
    guard let seconds else { return SealedLimits.busyWaitUnnamed }
    return min(.seconds(seconds), SealedLimits.busyWait)
  }
}

extension CarrierError {
  /// Whether the same bytes may be posted once more: the connection failed before one of them
  /// left, and at once. What failed by taking too long is not worth the same wait again.
  var isWorthOneMoreConnection: Bool {
    !requestMayHaveLeft && (reason == .notConnected || reason == .cut)
  }
}
