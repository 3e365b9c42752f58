import MeroConsent

/// Which fields each kind of request has, as options. Which of them make a request is the
/// library's to say: a test compares the two.
enum KindFields {
  static func fields(of kind: ConsentKind) -> [KindField] {
    switch kind {
    case .createOrg: [KindField(.name, "NAME", "what the organization will be called")]
    case .createInvite:
      [
        org, role(required: false),
        KindField(
          .teams, .texts, as: "team", "TEAM", "a team that whoever joins is in", required: false),
        KindField(
          .ttlSecs, .number, "N", "how long the invite is good for, in seconds", required: false),
        KindField(.uses, .number, "N", "how often it can be used", required: false),
        KindField(
          .allApps, .flag, "", "whoever joins has all apps of the organization", required: false),
      ]
    case .acceptInvite: [KindField(.token, .secret, "TOKEN", "the invite's token")]
    case .renameOrg: [org, KindField(.name, "NAME", "what it will be called")]
    case .deleteOrg, .leaveOrg: [org]
    case .removeMember: [org, member]
    case .setMemberRole: [org, member, role(required: true)]
    case .setMemberTeams:
      [
        org, member,
        KindField(
          .teams, .rows, as: "team", "TEAM[:ROLE[:CAPABILITIES]]",
          "a team, and what the member is and may do there"),
      ]
    case .removeMemberTeams:
      [org, member, KindField(.teams, .texts, as: "team", "TEAM", "a team to be taken out of")]
    case .revokeInvite:
      [org, KindField(.inviteKey, "KEY", "which invite; this is not its token")]
    case .setCapabilities:
      [
        org,
        KindField(
          .account, "ACCOUNT", "whose capabilities; without it, the default for all",
          required: false),
        KindField(
          .team, "TEAM", "where; without it, in the whole organization", required: false),
        KindField(
          .capabilities, .capabilities, "LIST",
          "names with commas (\(CapabilityNames.all.map(\.name).joined(separator: ", "))), none, "
            + "or the mask as a number"),
      ]
    case .setAllApps:
      [org, member, KindField(.allApps, .flag, "", "the member has all apps of the organization")]
    case .release: [KindField(.tag, "TAG", "the tag of the mero-tee release")]
    case .upgrade: [instance, KindField(.version, "VERSION", "the version to upgrade to")]
    case .outbound:
      [
        instance,
        KindField(.hosts, .texts, as: "host", "HOST[:PORT]", "a host that it may reach"),
      ]
    }
  }

  /// Every kind has it besides.
  static let returnTo = KindField(
    .returnTo, "URL", "where the page sends the person (default: the session's)", required: false)

  private static let org = KindField(.org, "ORG", "the organization")
  private static let member = KindField(.account, "ACCOUNT", "the member's account")
  private static let instance = KindField(.instance, "ID", "the app instance")

  private static func role(required: Bool) -> KindField {
    KindField(
      .role, "ROLE", "owner, admin, member, or another that the node knows", required: required)
  }

  /// What is asked, as the summary of the kind's command.
  static func summary(of kind: ConsentKind) -> String {
    switch kind {
    case .createOrg: "found an organization"
    case .createInvite: "mint an invite to an organization"
    case .acceptInvite: "join an organization by an invite"
    case .renameOrg: "rename an organization"
    case .deleteOrg: "delete an organization with its apps"
    case .leaveOrg: "leave an organization"
    case .removeMember: "remove a member"
    case .setMemberRole: "give a member another role"
    case .setMemberTeams: "put a member into teams"
    case .removeMemberTeams: "take a member out of teams"
    case .revokeInvite: "revoke an invite"
    case .setCapabilities: "set what members may do"
    case .setAllApps: "give a member all apps, or not"
    case .release: "approve a mero-tee release"
    case .upgrade: "upgrade an app instance"
    case .outbound: "open outbound hosts for an app instance"
    }
  }
}
