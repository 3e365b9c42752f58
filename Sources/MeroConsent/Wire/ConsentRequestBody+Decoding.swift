extension ConsentRequestBody: Decodable {
  public init(from decoder: any Decoder) throws {
    var fields = try StrictFields(decoder)
    let name = try fields.text("kind")
    guard let kind = ConsentKind(rawValue: name) else {
      throw ConsentError.requestInvalid("kind", "is not one that is known")
    }
    self.init(try Self.compose(kind, from: &fields))
    try fields.finish()
  }

  /// The request put together again: the mirror image of `ConsentRequest.fields`.
  private static func compose(
    _ kind: ConsentKind, from fields: inout StrictFields
  ) throws -> ConsentRequest {
    let target = try fields.optionalText("returnTo")
    switch kind {
    case .createOrg: return .createOrg(name: try fields.text("name"), returnTo: target)
    case .createInvite:
      return .createInvite(
        org: try fields.text("org"),
        role: try fields.optionalText("role").map(Role.init(rawValue:)),
        teams: try fields.optionalTexts("teams"), ttlSecs: try fields.optionalInt("ttlSecs"),
        uses: try fields.optionalInt("uses"), allApps: try fields.optionalFlag("allApps"),
        returnTo: target)
    case .acceptInvite: return .acceptInvite(token: try fields.text("token"), returnTo: target)
    case .renameOrg:
      return .renameOrg(
        org: try fields.text("org"), name: try fields.text("name"), returnTo: target)
    case .deleteOrg: return .deleteOrg(org: try fields.text("org"), returnTo: target)
    case .leaveOrg: return .leaveOrg(org: try fields.text("org"), returnTo: target)
    case .removeMember:
      return .removeMember(
        org: try fields.text("org"), account: try fields.text("account"), returnTo: target)
    case .setMemberRole:
      return .setMemberRole(
        org: try fields.text("org"), account: try fields.text("account"),
        role: Role(rawValue: try fields.text("role")), returnTo: target)
    case .setMemberTeams:
      return .setMemberTeams(
        org: try fields.text("org"), account: try fields.text("account"),
        teams: try memberships(from: &fields), returnTo: target)
    case .removeMemberTeams:
      return .removeMemberTeams(
        org: try fields.text("org"), account: try fields.text("account"),
        teams: try fields.texts("teams"), returnTo: target)
    case .revokeInvite:
      return .revokeInvite(
        org: try fields.text("org"), inviteKey: try fields.text("inviteKey"), returnTo: target)
    case .setCapabilities:
      return .setCapabilities(
        org: try fields.text("org"), account: try fields.optionalText("account"),
        team: try fields.optionalText("team"),
        capabilities: OrgCapabilities(rawValue: try fields.mask("capabilities")),
        returnTo: target)
    case .setAllApps:
      return .setAllApps(
        org: try fields.text("org"), account: try fields.text("account"),
        allApps: try fields.flag("allApps"), returnTo: target)
    case .release: return .release(tag: try fields.text("tag"), returnTo: target)
    case .upgrade:
      return .upgrade(
        instance: try fields.text("instance"), version: try fields.text("version"),
        returnTo: target)
    case .outbound:
      return .outbound(
        instance: try fields.text("instance"), hosts: try fields.texts("hosts"), returnTo: target)
    }
  }

  private static func memberships(
    from fields: inout StrictFields
  ) throws -> [ConsentTeamMembership] {
    try fields.rows("teams").map { row in
      var row = row
      let membership = ConsentTeamMembership(
        team: try row.text("team"), role: try row.optionalText("role").map(Role.init(rawValue:)),
        capabilities: try row.optionalMask("capabilities").map(OrgCapabilities.init(rawValue:)))
      try row.finish()
      return membership
    }
  }
}
