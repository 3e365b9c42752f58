/// The calls of the node's protocol, as they are counted and as misbehaviour is aimed at them.
package enum CallName: String, CaseIterable, Sendable, Codable {
  /// `POST /admin-api/tee/attest`
  case attest
  /// `POST /sealed/v2/handshake`
  case handshake
  /// `POST /consent/requests`, sealed
  case request
  /// `GET /consent/{id}/result`, sealed
  case result
  /// `POST /auth/refresh`, sealed
  case refresh
  /// Any other sealed call, and one whose envelope did not open
  case other
  /// The consent page and its buttons, and the app's served page: a browser's calls
  case page

  /// What travels in an envelope.
  package static let sealed: Set<CallName> = [.request, .result, .refresh, .other]

  /// What a client of the node makes, as opposed to a browser.
  package static let client: Set<CallName> = sealed.union([.attest, .handshake])
}

/// What the node would truthfully answer, as far as misbehaviour depends on it.
package enum Reading: Sendable, Equatable {
  /// A request was taken.
  case started
  case pending
  case approved(hasOutcome: Bool)
  case declined
  /// No answer about a request: a refusal, a 404, or a call that is about something else.
  case none
}
