package import MeroConsent

/// What a request asks for, in the words of its page.
package struct ConsentWords: Equatable {
  /// One sentence.
  package let sentence: String
  /// What it is about, name by name, in the order of the request.
  package let details: [(name: String, value: String)]

  package init(_ request: ConsentRequest) {
    sentence = Self.sentence(for: request.kind)
    details = request.fields.list.compactMap { name, value in
      Self.name(of: name).map { ($0, Self.text(of: value)) }
    }
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.sentence == right.sentence && left.details.elementsEqual(right.details, by: ==)
  }

  private static func sentence(for kind: ConsentKind) -> String {
    switch kind {
    case .createOrg: "An app asks to create an organization for you."
    case .createInvite: "An app asks to make an invite to an organization."
    case .acceptInvite: "An app asks to join an organization with an invite."
    case .renameOrg: "An app asks to rename an organization."
    case .deleteOrg: "An app asks to delete an organization and its apps."
    case .leaveOrg: "An app asks to leave an organization for you."
    case .removeMember: "An app asks to remove a member from an organization."
    case .setMemberRole: "An app asks to change the role of a member."
    case .setMemberTeams: "An app asks to put a member into teams."
    case .removeMemberTeams: "An app asks to take a member out of teams."
    case .revokeInvite: "An app asks to revoke an invite."
    case .setCapabilities: "An app asks to change what members may do."
    case .setAllApps: "An app asks to change whether a member has all apps."
    case .release: "An app asks to approve a release of the node's software."
    case .upgrade: "An app asks to upgrade an app instance."
    case .outbound: "An app asks to let an app instance reach hosts outside."
    }
  }

  /// `nil` for what the page says elsewhere or a person need not see.
  private static func name(of field: ConsentField) -> String? {
    switch field {
    case .kind, .returnTo: nil
    case .name: "Name"
    case .org: "Organization"
    case .account: "Member"
    case .team: "Team"
    case .role: "Role"
    case .teams: "Teams"
    case .capabilities: "Capabilities"
    case .ttlSecs: "Valid for (seconds)"
    case .uses: "Uses"
    case .allApps: "All apps"
    case .token: "Invite"
    case .inviteKey: "Invite"
    case .tag: "Release"
    case .instance: "App instance"
    case .version: "Version"
    case .hosts: "Hosts"
    }
  }

  private static func text(of value: ConsentFieldValue) -> String {
    switch value {
    case .text(let text): text
    // A page is no place for a bearer credential.
    case .secret: "(not shown)"
    case .number(let number): String(number)
    case .flag(let flag): flag ? "yes" : "no"
    case .mask(let mask): text(of: mask)
    case .list(let items): items.joined(separator: ", ")
    case .rows(let rows): rows.map(text(of:)).joined(separator: "; ")
    }
  }

  private static func text(of row: ConsentTeamMembership) -> String {
    var parts = [row.team]
    if let role = row.role { parts.append("as \(role.rawValue)") }
    if let mask = row.capabilities { parts.append("with \(text(of: mask))") }
    return parts.joined(separator: " ")
  }

  private static func text(of mask: OrgCapabilities) -> String {
    guard mask.rawValue != 0 else { return "nothing" }
    return (0..<32).filter { mask.rawValue & 1 << $0 != 0 }
      .map { $0 < words.count ? words[$0] : "capability \($0)" }
      .joined(separator: ", ")
  }

  /// The named bits of the mask, from bit 0.
  private static let words = [
    "create contexts", "invite members", "join open subgroups", "manage members",
    "manage applications", "create subgroups", "delete subgroups", "manage visibility",
    "manage metadata", "author on behalf of others",
  ]
}
