package import EventLoop
import FoundationEssentials
import HTTP
package import MeroConsent

/// What one call came to, before misbehaviour has its say.
package struct Ran: Sendable, Equatable {
  package var answer: APIAnswer
  package var reading: Reading
  /// The request that the answer is about.
  package var record: ConsentBook.Record?

  package init(_ answer: APIAnswer, reading: Reading = .none, record: ConsentBook.Record? = nil) {
    self.answer = answer
    self.reading = reading
    self.record = record
  }
}

extension CallName {
  /// Which call travels in an envelope.
  package init(_ request: APIRequest) {
    switch (request.method, request.path) {
    case ("POST", "/consent/requests"): self = .request
    case ("POST", "/auth/refresh"): self = .refresh
    case ("GET", _) where Self.resultID(request.path) != nil: self = .result
    default: self = .other
    }
  }

  /// Whether the node has a call at this path that it takes in an envelope only.
  static func isSealed(_ path: String) -> Bool {
    path == "/consent/requests" || path == "/auth/refresh" || resultID(path) != nil
  }

  /// The request that a result path names, decoded.
  static func resultID(_ path: String) -> String? {
    guard path.hasPrefix("/consent/"), path.hasSuffix("/result") else { return nil }
    let id = path.dropFirst("/consent/".count).dropLast("/result".count)
    guard !id.isEmpty, !id.contains("/") else { return nil }
    return PercentCoding.decodeText(id.utf8)
  }
}

extension NodeState {
  /// Runs what came in an envelope.
  package mutating func run(_ request: APIRequest, at now: WallInstant) -> Ran {
    switch CallName(request) {
    case .request:
      return authorized(request, at: now) { node, account in
        node.start(request, by: account, at: now)
      }
    case .result:
      return authorized(request, at: now) { node, account in
        node.result(request, for: account, at: now)
      }
    case .refresh:
      return Ran(refresh(request, at: now))
    case .attest, .handshake, .page, .other:
      return Ran(.refusal(404, "not_found", "This node has no such call."))
    }
  }

  private mutating func authorized(
    _ request: APIRequest, at now: WallInstant, _ run: (inout NodeState, String) -> Ran
  ) -> Ran {
    let scheme = "bearer "
    guard let header = request.header("authorization"), header.lowercased().hasPrefix(scheme) else {
      return Ran(.unauthorized(nil))
    }
    switch accounts.bearer(String(header.dropFirst(scheme.count)), at: now) {
    case .account(let account): return run(&self, account)
    case .expired: return Ran(.unauthorized("token_expired"))
    case .revoked: return Ran(.unauthorized("token_revoked"))
    case .unknown: return Ran(.unauthorized("invalid_token"))
    }
  }

  private mutating func start(
    _ request: APIRequest, by account: String, at now: WallInstant
  ) -> Ran {
    let asked: ConsentRequest
    do {
      asked = try JSONDecoder().decode(ConsentRequestBody.self, from: Data(request.body)).request
    } catch let error as ConsentError {
      return Ran(.refusal(422, "invalid_request", "\(error.field ?? "body"): not as expected"))
    } catch {
      return Ran(.refusal(400, "malformed", "The body is no JSON object."))
    }
    if let returnTo = asked.returnTo, !place.allows(returnTo: returnTo) {
      return Ran(
        .refusal(422, "return_to_not_allowed", "returnTo is on no origin of the package."))
    }
    if case .acceptInvite(let token, _) = asked, !organizations.isOpen(token, at: now) {
      return Ran(.refusal(422, "invite_not_valid", "The invite is used up, expired or revoked."))
    }
    guard !organizations.isFull else {
      return Ran(.refusal(503, "full", "This node keeps no more organizations and invites."))
    }
    let record = consents.ask(asked, by: account, at: now, lifetime: settings.requestLifetime)
    let answer: JSON = [
      "requestId": .string(record.id),
      "url": .string(place.page(of: record.id, code: record.code)),
      "code": .string(record.code),
      "expiresAt": .string(record.expiresAt.rfc3339),
    ]
    return Ran(.json(wrapped(answer)), reading: .started, record: record)
  }

  private func result(_ request: APIRequest, for account: String, at now: WallInstant) -> Ran {
    guard let id = CallName.resultID(request.path),
      let record = consents.result(of: id, for: account, at: now)
    else { return Ran(.noSuchRequest) }
    var answer: JSON = ["requestId": .string(record.id)]
    let reading: Reading
    switch record.standing {
    case .approved(let outcome):
      answer["status"] = "approved"
      answer["outcome"] = outcome.map(JSON.init(outcome:))
      reading = .approved(hasOutcome: outcome != nil)
    case .declined:
      answer["status"] = "declined"
      reading = .declined
    case .undecided, .replaced:
      answer["status"] = "pending"
      reading = .pending
    }
    return Ran(.json(wrapped(answer)), reading: reading, record: record)
  }

  private mutating func refresh(_ request: APIRequest, at now: WallInstant) -> APIAnswer {
    guard let body = try? JSON(parsing: request.body), let access = body["access_token"]?.string,
      let refresh = body["refresh_token"]?.string
    else { return .refusal(400, "malformed", "access_token and refresh_token are needed.") }
    let new = accounts.refresh(
      Accounts.Tokens(access: access, refresh: refresh), at: now,
      lifetime: settings.tokenLifetime)
    guard let new else { return .unauthorized("invalid_token") }
    return .json([
      "data": ["access_token": .string(new.access), "refresh_token": .string(new.refresh)]
    ])
  }

  private func wrapped(_ answer: JSON) -> JSON {
    settings.wrapsAnswers ? ["data": answer] : answer
  }
}

extension APIAnswer {
  package static let noSuchRequest = refusal(404, "not_found", "No such request of this account.")

  /// - Parameter reason: the value of `x-auth-error`; `nil` for an answer without one.
  package static func unauthorized(_ reason: String?) -> APIAnswer {
    refusal(
      401, reason ?? "unauthorized", "The access token is not good.",
      headers: reason.map { [("x-auth-error", $0)] } ?? [])
  }
}

extension JSON {
  /// An outcome as the node writes it.
  package init(outcome: ConsentOutcome) {
    // Texts and lists of texts: encoding them cannot fail, and what it made is JSON.
    let bytes = (try? JSONEncoder().encode(OutcomeBody(outcome))).map(Array.init)
    self = bytes.flatMap { try? JSON(parsing: $0) } ?? .null
  }
}
