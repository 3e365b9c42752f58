import MeroConsent

extension NodeState {
  /// What answers in place of a call that does not run.
  package enum Instead: Equatable {
    /// Inside the envelope, as the node's API would.
    case inside(APIAnswer)
    /// In the clear, as the sealed transport or a proxy would.
    case outside(APIAnswer)
  }

  /// - Returns: `nil` when none of `acts` stands in place of a call.
  package static func instead(_ acts: [MisbehaviourPlan.Act]) -> Instead? {
    for act in acts {
      switch act.misbehaviour {
      case .redirect:
        return .outside(APIAnswer(status: 302, headers: [("location", act.text)]))
      case .htmlPage:
        let page = HTML.document(title: "Welcome", body: "<h1>Please sign in to the network</h1>")
        return .outside(.html(page))
      case .status:
        return .outside(APIAnswer(status: act.number, headers: [("content-type", "text/plain")]))
      case .refusal:
        return .outside(.sealedRefusal(act.text))
      case .busy:
        return .outside(
          .refusal(
            503, "busy", "Ask again later.", headers: [("retry-after", String(act.number))]))
      case .unknownSession: return .outside(.sealedRefusal("unknown_session"))
      case .staleKey: return .outside(.sealedRefusal("stale_transport_key"))
      case .guarded:
        return .inside(.refusal(403, "sealed_route_unguarded", "A proxy guards this route."))
      case .tokenExpired: return .inside(.unauthorized("token_expired"))
      case .tokenRevoked: return .inside(.unauthorized("token_revoked"))
      case .unauthorized: return .inside(.unauthorized(nil))
      case .refreshRefused: return .inside(.unauthorized("invalid_token"))
      default: continue
      }
    }
    return nil
  }

  /// The answer with everything wrong that `acts` say.
  package func spoilt(_ ran: Ran, by acts: [MisbehaviourPlan.Act]) -> APIAnswer {
    if acts.has(.replaced) { return .noSuchRequest }
    var answer = ran.answer
    if let body = try? JSON(parsing: answer.body) {
      var spoilt = body["data"] ?? body
      for act in acts { spoil(&spoilt, by: act, ran.record) }
      answer.body = (body["data"] == nil ? spoilt : ["data": spoilt]).bytes
    }
    if let act = acts.first(.rawAnswer) {
      answer = APIAnswer(
        status: 200, headers: [("content-type", "application/json")], body: Array(act.text.utf8))
    }
    if let act = acts.first(.bigBody) {
      let missing = max(0, act.number - answer.body.count)
      answer.body += [UInt8](repeating: UInt8(ascii: " "), count: missing)
    }
    return answer
  }

  private func spoil(
    _ answer: inout JSON, by act: MisbehaviourPlan.Act, _ record: ConsentBook.Record?
  ) {
    guard let record else { return }
    switch act.misbehaviour {
    case .codeMismatch: answer["code"] = .string(Names.code())
    case .codeMalformed:
      answer["code"] = .string(act.text)
      answer["url"] = .string(place.page(of: record.id, code: act.text))
    case .pageElsewhere:
      answer["url"] = .string("\(act.text)\(place.prefix)/consent/\(record.id)?code=\(record.code)")
    case .pageUnnamed: answer["url"] = .string("\(place.base)/consent/page?code=\(record.code)")
    case .noRequestID: answer["requestId"] = ""
    case .expiresAt:
      answer["expiresAt"] = (try? JSON(parsing: Array(act.text.utf8))) ?? .string(act.text)
    case .wrongRequest: answer["requestId"] = .string(Names.hex(bytes: 16))
    case .unknownStatus: answer["status"] = .string(act.text)
    case .missingOutcome: answer["outcome"] = nil
    case .otherOutcome:
      // Of another kind than any that belongs to the request, and one where none belongs.
      let other: ConsentOutcome =
        record.request.kind == .createOrg
        ? .orgDeleted(apps: []) : .orgCreated(orgId: Names.hex(bytes: 32))
      answer["outcome"] = JSON(outcome: other)
    case .outcomeOnDecline, .outcomeOnPending:
      answer["outcome"] = JSON(outcome: .orgCreated(orgId: Names.hex(bytes: 32)))
    default: break
    }
  }
}

extension APIAnswer {
  /// A refusal of the sealed transport, with the status that belongs to its code.
  package static func sealedRefusal(_ code: String) -> APIAnswer {
    let status =
      switch code {
      case "stale_transport_key", "unknown_session": 409
      case "busy": 503
      case "sealed_required": 403
      default: 400
      }
    return refusal(status, code, "The sealed transport refuses this: \(code).")
  }
}
