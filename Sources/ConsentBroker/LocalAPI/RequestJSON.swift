import Desktop
import FoundationEssentials
import MeroConsent

/// One request, as its session reads it. What does not apply is left out.
struct RequestJSON: JSONObject {
  let requestId: String
  let kind: String
  let state: String
  let createdAt: Date
  let code: String?
  let url: String?
  let expiresAt: Date?
  let callback: String?
  let decision: String?
  let outcome: OutcomeJSON?
  let longOutcome: StoredOutcome?
  let changesOrganizations: Bool?
  let decidedAt: Date?
  let lastReturn: LastReturnJSON?
  let readFailure: ReadFailureJSON?
  let failure: String?
  let detail: String?
  let lifetimeCut: Bool?
  let needsSession: Bool?
  let recorded: Bool?
  let opened: OpenedJSON?
  let openedReason: String?

  /// - Parameter page: what came of opening it, in answers to calls that asked for it.
  init(_ view: RequestView, page: PageResult? = nil) {
    requestId = view.requestId
    kind = view.kind
    state = view.state.rawValue
    createdAt = view.createdAt
    code = view.code
    url = view.url
    expiresAt = view.expiresAt
    callback = view.callback
    decision = view.decision?.rawValue
    outcome = view.outcome.map(OutcomeJSON.init)
    longOutcome = view.longOutcome
    changesOrganizations = view.changesOrganizations
    decidedAt = view.decidedAt
    lastReturn = view.lastReturn.map(LastReturnJSON.init)
    readFailure = view.readFailure.map(ReadFailureJSON.init)
    failure = view.failure?.rawValue
    detail = view.detail
    lifetimeCut = view.lifetimeCut ? true : nil
    needsSession = view.needsSession ? true : nil
    recorded = view.isRecorded ? nil : false
    opened = page.map(OpenedJSON.init)
    if case .unavailable(let reason) = page {
      openedReason = reason.rawValue
    } else {
      openedReason = nil
    }
  }

  func write(to json: inout JSONText) {
    json.member("callback", callback)
    json.member("changesOrganizations", changesOrganizations)
    json.member("code", code)
    json.member("createdAt", createdAt)
    json.member("decidedAt", decidedAt)
    json.member("decision", decision)
    json.member("detail", detail)
    json.member("expiresAt", expiresAt)
    json.member("failure", failure)
    json.member("kind", kind)
    json.member("lastReturn", lastReturn)
    json.member("lifetimeCut", lifetimeCut)
    json.member("needsSession", needsSession)
    switch opened {
    case .flag(let flag)?: json.member("opened", flag)
    case .unknown?: json.member("opened", "unknown")
    case nil: break
    }
    json.member("openedReason", openedReason)
    json.member("outcome", outcome)
    json.member("outcome", written: longOutcome?.text)
    json.member("readFailure", readFailure)
    json.member("recorded", recorded)
    json.member("requestId", requestId)
    json.member("state", state)
    json.member("url", url)
  }
}

/// `true`, `false`, or `"unknown"` where nobody can say.
enum OpenedJSON {
  case flag(Bool)
  case unknown

  init(_ page: PageResult) {
    self =
      switch page {
      case .opening(.opened): .flag(true)
      case .opening(.unknown): .unknown
      case .unavailable, .pointless: .flag(false)
      }
  }
}

/// `{"at":…,"code":…}`.
struct LastReturnJSON: JSONObject {
  let at: Date
  let code: String

  init(_ last: LastReturn) {
    at = last.at
    code = last.code
  }

  func write(to json: inout JSONText) {
    json.member("at", at)
    json.member("code", code)
  }
}

/// `{"code":…,"since":…}`.
struct ReadFailureJSON: JSONObject {
  let code: String
  let since: Date

  init(_ failure: ReadFailure) {
    code = failure.code.rawValue
    since = failure.since
  }

  func write(to json: inout JSONText) {
    json.member("code", code)
    json.member("since", since)
  }
}

/// `{"kind":…}` and the outcome's own fields, an invite token among them.
struct OutcomeJSON: JSONObject {
  let kind: String
  private var orgId: String?
  private var token: String?
  private var org: String?
  private var name: String?
  private var apps: [String]?

  init(_ outcome: ConsentOutcome) {
    kind = outcome.kind.rawValue
    switch outcome {
    case .orgCreated(let orgId): self.orgId = orgId
    case .inviteCreated(let token): self.token = token
    case .inviteAccepted(let org): self.org = org
    case .orgRenamed(let orgId, let name): (self.orgId, self.name) = (orgId, name)
    case .orgDeleted(let apps): self.apps = apps
    }
  }

  func write(to json: inout JSONText) {
    json.member("apps", apps)
    json.member("kind", kind)
    json.member("name", name)
    json.member("org", org)
    json.member("orgId", orgId)
    json.member("token", token)
  }
}
