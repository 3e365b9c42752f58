package import Desktop

/// One change of one request, as an event stream tells it. No secrets.
package struct BrokerEvent: Sendable, Equatable {
  /// Grows for ever, over restarts too: the `id:` of the stream. 0 where the ledger has not taken
  /// the event yet.
  package let sequence: Int64
  package let requestId: String
  package let state: RequestState
  package let lastReturn: LastReturn?
  package var isRecorded: Bool { sequence > 0 }
  /// The node cannot be read any more, or can again. That is of the moment, and never recorded.
  package var isOfReading = false
  package var readFailure: ReadFailure?
  /// Told once, to the first stream that hears of the event, and kept nowhere.
  package var activationToken: ActivationToken?
}

/// What an event stream has next.
package enum EventDelivery: Sendable {
  case event(BrokerEvent)
  /// Nothing until the deadline: time for a comment.
  case quiet
  /// The session was closed: end the stream.
  case sessionEnded
  /// The daemon is ending: a last `event: shutdown`, then the end.
  case stopping
}
