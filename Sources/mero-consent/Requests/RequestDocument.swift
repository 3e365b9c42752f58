import ConsentClient
import MeroConsent

/// A request as `--json` has it: the names of the local API, without its secrets unless they are
/// asked for.
struct RequestDocument: Encodable {
  struct Outcome: Encodable {
    let kind: String
    var orgId: String?
    var token: String?
    var org: String?
    var name: String?
    var apps: [String]?
  }

  struct LastReturn: Encodable {
    let at: String
    let code: String
  }

  struct ReadFailure: Encodable {
    let code: String
    let since: String

    init(_ failure: BrokerRequest.ReadFailure) {
      code = failure.code.rawValue
      since = RFC3339.text(failure.since)
    }
  }

  let requestId: String
  let kind: String
  let state: String
  let createdAt: String
  let code: String?
  let url: String?
  let expiresAt: String?
  let callback: String?
  let decision: String?
  let outcome: Outcome?
  let changesOrganizations: Bool?
  let decidedAt: String?
  let lastReturn: LastReturn?
  let readFailure: ReadFailure?
  let failure: String?
  let detail: String?
  let needsSession: Bool?
  let recorded: Bool?

  init(_ request: BrokerRequest, showsSecret: Bool = false) {
    requestId = request.requestId
    kind = request.kindName
    state = request.state.rawValue
    createdAt = RFC3339.text(request.createdAt)
    code = request.code
    url = request.url
    expiresAt = request.expiresAt.map(RFC3339.text)
    callback = request.callback
    let status = request.result.status
    decision = status == .pending ? nil : status.rawValue
    outcome = request.outcome.map { Outcome($0, showsSecret: showsSecret) }
    changesOrganizations = status == .pending ? nil : request.changesOrganizations
    decidedAt = request.decidedAt.map(RFC3339.text)
    lastReturn = request.lastReturn.map {
      LastReturn(at: RFC3339.text($0.at), code: $0.code)
    }
    readFailure = request.readFailure.map(ReadFailure.init)
    failure = request.failure?.rawValue
    detail = request.detail
    needsSession = request.needsSession ? true : nil
    recorded = request.isRecorded ? nil : false
  }
}

extension RequestDocument.Outcome {
  init(_ outcome: ConsentOutcome, showsSecret: Bool) {
    kind = outcome.kind.rawValue
    switch outcome {
    case .orgCreated(let orgId): self.orgId = orgId
    case .inviteCreated(let token): self.token = showsSecret ? token : redactedMark
    case .inviteAccepted(let org): self.org = org
    case .orgRenamed(let orgId, let name): (self.orgId, self.name) = (orgId, name)
    case .orgDeleted(let apps): self.apps = apps
    }
  }

  /// Its fields by their names, as lines.
  var lines: [(name: String, value: String)] {
    var lines = [("orgId", orgId), ("token", token), ("org", org), ("name", name)].compactMap {
      name, value in value.map { (name: name, value: $0) }
    }
    lines += (apps ?? []).map { ("app", $0) }
    return lines
  }
}
