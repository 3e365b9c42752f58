package import EventLoop

/// What a person's return page says. Raw values are its `data-state`.
package enum PageState: String, Sendable, CaseIterable {
  case checking
  case approved
  case declined
  case notDecided = "not-decided"
  case mismatch
  case replaced
  case expired
  case cancelled
  case notConfirmed = "not-confirmed"
  /// No such ticket.
  case unknown

  /// Of several verdicts, the one that a person has to know.
  package static let tellingOrder: [PageState] = [
    .approved, .declined, .replaced, .expired, .cancelled, .notDecided, .notConfirmed, .mismatch,
  ]
}

/// What a return on the callback leads to.
package enum CallbackAnswer: Sendable, Equatable {
  /// 303 to `/done/{ticket}`; the verdict is being found, or is there.
  case done(ticket: String)
  /// No request has this ticket: the page `unknown`, 404.
  case unknownTicket
  /// The query cannot be read, or names an empty request: 400. Nothing changed.
  case malformed
  /// The daemon could only start to say what is wrong, or is ending: 503. Nothing was judged.
  case unavailable
  /// Too many returns at once: 429. The watcher still finds a decision.
  case tooMany(retryAfter: Int)
}

/// Who judges the returns of a callback: the daemon's broker, or an app that has its own callback.
@LoopActor package protocol ReturnJudge: AnyObject, Sendable {
  /// Takes a return: `/return/{ticket}?query`, or `/return?query`.
  ///
  /// - Parameters:
  ///   - ticket: the bytes of the path after `/return/`, not decoded; `nil` for the bare path.
  ///   - rawQuery: what follows `?`; `nil` where there is none.
  func callback(ticket: String?, rawQuery: String?) async -> CallbackAnswer

  /// What the page of `/done/{ticket}` shows: what the node said, never what a query said.
  ///
  /// - Parameter deadline: the latest moment to answer.
  func page(ticket: String, until deadline: BootInstant) async -> PageState

  /// For a journal: what was answered. Nothing of the request is in it.
  func note(_ answered: @autoclosure () -> String)
}
