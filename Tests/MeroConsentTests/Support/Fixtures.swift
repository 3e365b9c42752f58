import FoundationEssentials
import MeroConsent

enum Fixture {
  static let nodeURL = "https://node.example/node-7"
  static let tokens = SessionTokens(accessToken: "access-1", refreshToken: "refresh-1")

  static func client(
    _ node: ScriptedNode, clock: ClientClock = TestClock().clock(), at url: String = nodeURL,
    tokens: SessionTokens = tokens, origins: [String] = [], returnTo: String? = nil,
    onTokensChanged: MeroClient.TokensChanged? = nil
  ) throws -> MeroClient {
    try MeroClient(
      node: NodeAddress(url), tokens: tokens, origins: origins, returnTo: returnTo,
      transport: node, clock: clock, onTokensChanged: onTokensChanged)
  }

  static let started = ConsentStarted(
    requestId: "rq-1", url: "https://node.example/consent/rq-1", code: "7QF2-XK",
    expiresAt: TestClock.noon.addingTimeInterval(300), kind: .createOrg)

  /// The node's answer to a new request.
  static func startedJSON(
    requestId: String = "rq-1", url: String = "https://node.example/consent/rq-1",
    code: String = "7QF2-XK", expiresAt: String = #""2026-12-01T12:05:00Z""#
  ) -> String {
    #"{"requestId":"\#(requestId)","url":"\#(url)","code":"\#(code)","expiresAt":\#(expiresAt)}"#
  }

  static func resultJSON(
    _ status: String, requestId: String = "rq-1", outcome: String? = nil
  ) -> String {
    let tail = outcome.map { #","outcome":\#($0)"# } ?? ""
    return #"{"requestId":"\#(requestId)","status":"\#(status)"\#(tail)}"#
  }

  static let approvedOrg = resultJSON(
    "approved", outcome: #"{"kind":"orgCreated","orgId":"org-1"}"#)

  /// One request of each kind, with everything set, and the outcome that goes with it.
  static let everyRequest: [ConsentRequest] = [
    .createOrg(name: "Acme", returnTo: "https://notes.example/r"),
    .createInvite(
      org: "o", role: .member, teams: ["t1", "t2"], ttlSecs: 3600, uses: 1, allApps: false,
      returnTo: "https://notes.example/r"),
    .acceptInvite(token: "invite-token", returnTo: "https://notes.example/r"),
    .renameOrg(org: "o", name: "New", returnTo: "https://notes.example/r"),
    .deleteOrg(org: "o", returnTo: "https://notes.example/r"),
    .leaveOrg(org: "o", returnTo: "https://notes.example/r"),
    .removeMember(org: "o", account: "a", returnTo: "https://notes.example/r"),
    .setMemberRole(org: "o", account: "a", role: "auditor", returnTo: "https://notes.example/r"),
    .setMemberTeams(
      org: "o", account: "a",
      teams: [
        ConsentTeamMembership(
          team: "t", role: .admin, capabilities: [.createContext, .manageMembers]),
        ConsentTeamMembership(team: "u"),
      ], returnTo: "https://notes.example/r"),
    .removeMemberTeams(
      org: "o", account: "a", teams: ["t"], returnTo: "https://notes.example/r"),
    .revokeInvite(org: "o", inviteKey: "k", returnTo: "https://notes.example/r"),
    .setCapabilities(
      org: "o", account: "a", team: "t", capabilities: OrgCapabilities(rawValue: 0x8000_0003),
      returnTo: "https://notes.example/r"),
    .setAllApps(org: "o", account: "a", allApps: true, returnTo: "https://notes.example/r"),
    .release(tag: "2.3.87", returnTo: "https://notes.example/r"),
    .upgrade(instance: "i", version: "1.2.0", returnTo: "https://notes.example/r"),
    .outbound(
      instance: "i", hosts: ["api.example", "db.example:5432"],
      returnTo: "https://notes.example/r"),
  ]

  /// The outcome that a node answers for a kind, as JSON; `nil` where there is none.
  static func outcomeJSON(_ kind: ConsentKind) -> String? {
    switch kind {
    case .createOrg: #"{"kind":"orgCreated","orgId":"org-1"}"#
    case .createInvite: #"{"kind":"inviteCreated","token":"invite-token"}"#
    case .acceptInvite: #"{"kind":"inviteAccepted","org":"org-1"}"#
    case .renameOrg: #"{"kind":"orgRenamed","orgId":"org-1","name":"New"}"#
    case .deleteOrg: #"{"kind":"orgDeleted","apps":["app-1","app-2"]}"#
    default: nil
    }
  }
}

/// The code of what a call throws; `nil` when it throws nothing.
func code(of body: () async throws -> some Any) async -> ConsentError.Code? {
  do {
    _ = try await body()
    return nil
  } catch {
    return (error as? ConsentError)?.code
  }
}

/// The error that a call throws.
func refusal(_ body: () throws -> some Any) -> ConsentError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? ConsentError
  }
}
