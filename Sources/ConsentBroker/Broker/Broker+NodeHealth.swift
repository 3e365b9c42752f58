import MeroConsent

extension Broker {
  /// What a call says about the session and its node.
  ///
  /// - Parameter given: the session's `tokensGiven` when the call began.
  func noteAnswer(
    _ answer: Result<ConsentResult, ConsentError>, of session: Session, given: Int
  ) {
    switch answer {
    case .success: noteIsReachable(session)
    case .failure(let error):
      switch error.code {
      case .nodeUnreachable, .nodeUntrusted: noteIsUnreachable(session, error)
      case .sessionExpired:
        noteIsReachable(session)
        tokensWereRefused(of: session, given: given)
      case .cancelled: break
      default: noteIsReachable(session)
      }
    }
  }

  func noteIsReachable(_ session: Session) {
    if session.nodeIsReachable == false {
      log.info("the session's node is read again", .session(session.id), .event(.nodeRead))
    }
    session.nodeIsReachable = true
  }

  /// The log tells it once, when it begins: its requests stay undecided for that reason.
  private func noteIsUnreachable(_ session: Session, _ error: ConsentError) {
    if session.nodeIsReachable != false {
      log.warning(
        "the session's node cannot be read: \(error.advice)", .session(session.id),
        .code(error.code.rawValue), .event(.nodeNotRead))
    }
    session.nodeIsReachable = false
  }
}
