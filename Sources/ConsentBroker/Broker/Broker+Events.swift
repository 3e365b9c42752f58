import EventLoop

extension Broker {
  /// Subscribes to the caller's events.
  ///
  /// - Parameter after: `Last-Event-ID`; `nil` for what happens from now on.
  package func events(
    after: Int64?, for caller: Caller
  ) throws(Problem) -> EventSubscription {
    let session = try session(caller)
    guard session.streams < BrokerLimits.eventStreams, eventStreams < BrokerLimits.allEventStreams
    else { throw .tooMany(.eventStreams, retryAfter: 5) }
    return EventSubscription(self, session, after: after)
  }

  /// A page of older events, for a stream that was away; `nil` where the ledger cannot be read.
  func events(of session: Session, after sequence: Int64, limit: Int) async -> [BrokerEvent]? {
    let id = session.id
    return try? await read(for: .session(id)) { ledger throws(LedgerError) in
      try await ledger.events(of: id, after: sequence, limit: limit)
    }
  }
}
