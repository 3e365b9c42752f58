/// What a person can be asked to consent to. Raw values are the protocol.
public enum ConsentKind: String, Sendable, Hashable, CaseIterable {
  case createOrg
  case createInvite
  case acceptInvite
  case renameOrg
  case deleteOrg
  case leaveOrg
  case removeMember
  case setMemberRole
  case setMemberTeams
  case removeMemberTeams
  case revokeInvite
  case setCapabilities
  case setAllApps
  case release
  case upgrade
  case outbound

  /// The kind of outcome that an approval must come with; `nil` where it must come with none.
  package var outcome: ConsentOutcome.Kind? {
    switch self {
    case .createOrg: .orgCreated
    case .createInvite: .inviteCreated
    case .acceptInvite: .inviteAccepted
    case .renameOrg: .orgRenamed
    case .deleteOrg: .orgDeleted
    case .leaveOrg, .removeMember, .setMemberRole, .setMemberTeams, .removeMemberTeams,
      .revokeInvite, .setCapabilities, .setAllApps, .release, .upgrade, .outbound:
      nil
    }
  }

  /// Whether an approval changes organizations, members, teams or invites.
  package var concernsOrganizations: Bool {
    switch self {
    case .release, .upgrade, .outbound: false
    case .createOrg, .createInvite, .acceptInvite, .renameOrg, .deleteOrg, .leaveOrg,
      .removeMember, .setMemberRole, .setMemberTeams, .removeMemberTeams, .revokeInvite,
      .setCapabilities, .setAllApps:
      true
    }
  }
}
