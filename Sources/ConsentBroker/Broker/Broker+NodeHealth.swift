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

  /// What a read that decided nothing says to whoever waits: nobody has decided, or nobody can
  /// know. Told when that changes, and not for each read.
  func note(_ error: ConsentError, of request: LiveRequest) {
    // `needsSession` says it of missing tokens.
    let isRead = error.code == .notDecided || error.code == .sessionExpired
    guard request.readFailure?.code != (isRead ? nil : error.code) else { return }
    request.readFailure =
      isRead ? nil : ReadFailure(code: error.code, since: tools.now().asKept, advice: error.advice)
    let (row, session) = (request.row, request.session)
    var event = BrokerEvent(
      sequence: 0, requestId: row.requestId, state: row.state, lastReturn: row.lastReturn)
    event.isOfReading = true
    event.readFailure = request.readFailure
    session.events.publishUnrecorded(event, of: row.number)
    waits.signal(row.requestId, of: session.id)
  }

  func noteIsReachable(_ session: Session) {
    if session.nodeIsReachable == false {
      log.info("the session's node is read again", .session(session.id), .event(.nodeRead))
    }
    session.nodeIsReachable = true
    session.nodeFailuresTold = []
  }

  /// The log tells it once, when it begins, and each other reason once: its requests stay undecided
  /// for that, and a node that answers with another key is another matter than one that is away.
  private func noteIsUnreachable(_ session: Session, _ error: ConsentError) {
    if session.nodeFailuresTold.insert(error.code).inserted {
      log.warning(
        "the session's node cannot be read: \(error.advice)", .session(session.id),
        .code(error.code.rawValue), .event(.nodeNotRead))
    }
    session.nodeIsReachable = false
  }
}
