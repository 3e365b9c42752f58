import ConsentClient
import MeroConsent

/// A request as a person reads it.
enum RequestLines {
  /// What was asked, what was decided, and what came of it.
  static func lines(_ request: BrokerRequest, showsSecret: Bool, _ style: Style) -> [String] {
    var rows = [
      ("request", request.requestId), ("kind", request.kindName),
      ("state", request.state.rawValue),
    ]
    if let failure = request.failure { rows.append(("failure", failure.rawValue)) }
    if !request.state.isFinal {
      if let code = request.code { rows.append(("code", code)) }
      if let url = request.url { rows.append(("page", url)) }
      if let expiresAt = request.expiresAt {
        rows.append(("expires", TimeText.moment(expiresAt)))
      }
    }
    if let failing = request.readFailure {
      rows.append(("not read", "\(failing.code.rawValue) since \(TimeText.moment(failing.since))"))
    }
    if let last = request.lastReturn, last.code != "OK" { rows.append(("last return", last.code)) }
    if let decidedAt = request.decidedAt {
      rows.append(("decided", TimeText.moment(decidedAt)))
    }
    rows +=
      request.outcome.map { RequestDocument.Outcome($0, showsSecret: showsSecret).lines } ?? []
    return rows.map { name, value in
      let shown = escaped(value)
      return Layout.padded(name, to: 12)
        + (name == "state" ? coloured(shown, request, style) : shown)
    }
  }

  static func coloured(_ text: String, _ request: BrokerRequest, _ style: Style) -> String {
    switch request.state {
    case .approved: style.green(text)
    case .started, .starting: style.yellow(text)
    default: style.red(text)
    }
  }

  /// One sentence on where a request stands, and what to do next.
  ///
  /// - Parameter renewal: the command that gives the session new tokens.
  static func sentence(_ request: BrokerRequest, renewal: String) -> String {
    if request.needsSession, !request.state.isFinal {
      return "The daemon has no usable tokens for the session any more. With new ones the request "
        + "goes on: \(renewal)"
    }
    if let detail = request.detail { return detail }
    return switch request.state {
    case .approved: "Approved."
    case .declined: "Declined. Nothing was changed."
    case .started: "No decision is known yet."
    case .starting: "The daemon stopped while it was asking the node. Ask again."
    case .replaced: ConsentError.Code.replaced.advice
    case .expired: ConsentError.Code.expired.advice
    case .cancelled: "Cancelled: nobody waits for the decision any more."
    case .failed:
      request.failure.flatMap { ConsentError.Code(rawValue: $0.rawValue) }?.advice
        ?? "The node's answers cannot be used."
    default: "Its state is “\(request.state.rawValue)”; update mero-consent to understand it."
    }
  }
}

extension BrokerRequest {
  /// The code by which the documentation explains where it stands; `nil` for a decision.
  var explainedBy: String? {
    if needsSession, !state.isFinal { return ConsentError.Code.sessionExpired.rawValue }
    return switch state {
    case .approved, .declined, .starting: nil
    case .started: readFailure?.code.rawValue ?? ConsentError.Code.notDecided.rawValue
    case .replaced: ConsentError.Code.replaced.rawValue
    case .expired: ConsentError.Code.expired.rawValue
    case .cancelled: ConsentError.Code.cancelled.rawValue
    default: failure?.rawValue
    }
  }
}

extension ExitCode {
  init(_ request: BrokerRequest) {
    self =
      switch request.state {
      case .approved: .done
      case .declined: .declined
      case .replaced: .replaced
      case .expired: .expired
      case .cancelled: .cancelled
      case .failed: request.failure.map(ExitCode.init) ?? .badData
      default: request.needsSession ? .notAllowed : .notDecided
      }
  }

  /// What a command that tells a decision may end with.
  static let decisions: [ExitCode] = [
    .done, .declined, .notDecided, .mismatch, .replaced, .expired, .cancelled, .usage, .badData,
    .unavailable, .notWritten, .notAllowed, .configuration,
  ]
}
