package import EventLoop
package import MeroConsent

extension Organizations {
  /// Carries out what was approved.
  ///
  /// - Returns: the outcome that belongs to the kind; `nil` where none does.
  package mutating func carryOut(
    _ request: ConsentRequest, by account: String, at now: WallInstant
  ) -> ConsentOutcome? {
    switch request {
    case .createOrg(let name, _):
      return .orgCreated(orgId: create(name: name, owner: account))
    case .createInvite(let org, _, _, let ttlSecs, let uses, _, _):
      let expiresAt = ttlSecs.map { now + .seconds($0) }
      return .inviteCreated(token: invite(to: org, by: account, expiresAt: expiresAt, uses: uses))
    case .acceptInvite(let token, _):
      return .inviteAccepted(org: accept(token, by: account))
    case .renameOrg(let org, let name, _):
      rename(org, to: name, by: account)
      return .orgRenamed(orgId: org, name: name)
    case .deleteOrg(let org, _):
      return .orgDeleted(apps: delete(org, by: account))
    case .removeMember(let org, let member, _):
      remove(member, from: org)
    case .leaveOrg(let org, _):
      remove(account, from: org)
    case .revokeInvite(_, let key, _):
      revoke(inviteKey: key)
    case .setMemberRole, .setMemberTeams, .removeMemberTeams, .setCapabilities, .setAllApps,
      .release, .upgrade, .outbound:
      break
    }
    return nil
  }
}
