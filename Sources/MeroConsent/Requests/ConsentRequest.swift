/// What an app asks a person to consent to, on the node's own page.
///
/// `returnTo` is where the page sends the person afterwards: an https URL on an origin of the
/// app's package. Without one, the client's own is used. Of an optional field, `nil` is left
/// out of the body.
///
/// An invite token inside is a bearer credential: it prints as `<redacted>`.
public enum ConsentRequest: Hashable, Sendable {
  /// Found an organization. Outcome: `.orgCreated(orgId:)`.
  case createOrg(name: String, returnTo: String? = nil)
  /// Mint an invite. Outcome: `.inviteCreated(token:)`. `ttlSecs` is its lifetime in seconds.
  case createInvite(
    org: String, role: Role? = nil, teams: [String]? = nil, ttlSecs: Int? = nil, uses: Int? = nil,
    allApps: Bool? = nil, returnTo: String? = nil)
  /// Join by an invite token. Outcome: `.inviteAccepted(org:)`.
  case acceptInvite(token: String, returnTo: String? = nil)
  /// Outcome: `.orgRenamed(orgId:name:)`.
  case renameOrg(org: String, name: String, returnTo: String? = nil)
  /// Outcome: `.orgDeleted(apps:)`, the apps deleted with it.
  case deleteOrg(org: String, returnTo: String? = nil)
  case leaveOrg(org: String, returnTo: String? = nil)
  case removeMember(org: String, account: String, returnTo: String? = nil)
  case setMemberRole(org: String, account: String, role: Role, returnTo: String? = nil)
  case setMemberTeams(
    org: String, account: String, teams: [ConsentTeamMembership], returnTo: String? = nil)
  case removeMemberTeams(org: String, account: String, teams: [String], returnTo: String? = nil)
  /// `inviteKey` names the invite; it is not its token.
  case revokeInvite(org: String, inviteKey: String, returnTo: String? = nil)
  /// With `account`, that member's capabilities: organization-wide, or in `team`. Without, a
  /// default.
  case setCapabilities(
    org: String, account: String? = nil, team: String? = nil, capabilities: OrgCapabilities,
    returnTo: String? = nil)
  case setAllApps(org: String, account: String, allApps: Bool, returnTo: String? = nil)
  /// Approve a mero-tee release.
  case release(tag: String, returnTo: String? = nil)
  /// Upgrade an app instance.
  case upgrade(instance: String, version: String, returnTo: String? = nil)
  /// Open outbound hosts for an app instance: host names, or `host:port`.
  case outbound(instance: String, hosts: [String], returnTo: String? = nil)
}

extension ConsentRequest {
  /// The exact body that is sent, as a Codable type.
  public func generated() -> ConsentRequestBody { ConsentRequestBody(self) }

  public var kind: ConsentKind { fields.kind }

  /// Where the page sends the person afterwards, if this request says so.
  public var returnTo: String? {
    for case (.returnTo, .text(let url)) in fields.list { return url }
    return nil
  }
}
