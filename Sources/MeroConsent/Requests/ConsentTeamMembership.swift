/// One row of `setMemberTeams`: a team, and what the member is and may do there.
public struct ConsentTeamMembership: Hashable, Sendable {
  public var team: String
  /// The member's role in the team; `nil` leaves it to the node.
  public var role: Role?
  /// The member's capabilities in the team; `nil` leaves them to the node.
  public var capabilities: OrgCapabilities?

  public init(team: String, role: Role? = nil, capabilities: OrgCapabilities? = nil) {
    self.team = team
    self.role = role
    self.capabilities = capabilities
  }
}
