// The body of POST /consent/requests: this project's reading of the guide. The day the node's
// schema is published, this folder changes and nothing else.

/// The body of a consent request, exactly as it is sent: `{"kind": …, fields…, "returnTo": …}`,
/// a `nil` left out.
///
/// Decoding is strict: a kind or a field that is not known, a missing field and a field of
/// another type each throw a `ConsentError` with `CONSENT_REQUEST_INVALID` that names the field.
public struct ConsentRequestBody: Hashable, Sendable {
  public let request: ConsentRequest
  /// Where the page sends the person: the request's own, else the one given in its place.
  public let returnTo: String?

  public init(_ request: ConsentRequest, returnTo: String? = nil) {
    self.request = request
    self.returnTo = request.returnTo ?? returnTo
  }

  /// What is sent, in order, without the kind.
  package var fields: [ConsentRequest.NamedField] {
    var list = request.fields.list
    if let returnTo, request.returnTo == nil { list.append((.returnTo, .text(returnTo))) }
    return list
  }
}

/// The names of the body's fields, in the order in which they are described.
package enum ConsentField: String, CodingKey, CaseIterable {
  case kind, name, org, account, team, role, teams, capabilities, ttlSecs, uses, allApps, token
  case inviteKey, tag, instance, version, hosts, returnTo
}

/// One field's value, as far as sending, checking and printing tell values apart.
package enum ConsentFieldValue {
  case text(String)
  /// A bearer credential.
  case secret(String)
  case number(Int)
  case flag(Bool)
  case mask(OrgCapabilities)
  case list([String])
  case rows([ConsentTeamMembership])
}

extension ConsentRequest {
  package typealias NamedField = (name: ConsentField, value: ConsentFieldValue)

  /// The request taken apart: the one place that says which fields a kind has.
  package var fields: (kind: ConsentKind, list: [NamedField]) {
    let kind: ConsentKind
    var list: [NamedField?]
    let target: String?
    switch self {
    case .createOrg(let name, let returnTo):
      (kind, list, target) = (.createOrg, [(.name, .text(name))], returnTo)
    case .createInvite(
      let org, let role, let teams, let ttlSecs, let uses, let allApps, let returnTo):
      (kind, target) = (.createInvite, returnTo)
      list = [
        (.org, .text(org)),
        role.map { (.role, .text($0.rawValue)) },
        teams.map { (.teams, .list($0)) },
        ttlSecs.map { (.ttlSecs, .number($0)) },
        uses.map { (.uses, .number($0)) },
        allApps.map { (.allApps, .flag($0)) },
      ]
    case .acceptInvite(let token, let returnTo):
      (kind, list, target) = (.acceptInvite, [(.token, .secret(token))], returnTo)
    case .renameOrg(let org, let name, let returnTo):
      (kind, target) = (.renameOrg, returnTo)
      list = [(.org, .text(org)), (.name, .text(name))]
    case .deleteOrg(let org, let returnTo):
      (kind, list, target) = (.deleteOrg, [(.org, .text(org))], returnTo)
    case .leaveOrg(let org, let returnTo):
      (kind, list, target) = (.leaveOrg, [(.org, .text(org))], returnTo)
    case .removeMember(let org, let account, let returnTo):
      (kind, target) = (.removeMember, returnTo)
      list = [(.org, .text(org)), (.account, .text(account))]
    case .setMemberRole(let org, let account, let role, let returnTo):
      (kind, target) = (.setMemberRole, returnTo)
      list = [(.org, .text(org)), (.account, .text(account)), (.role, .text(role.rawValue))]
    case .setMemberTeams(let org, let account, let teams, let returnTo):
      (kind, target) = (.setMemberTeams, returnTo)
      list = [(.org, .text(org)), (.account, .text(account)), (.teams, .rows(teams))]
    case .removeMemberTeams(let org, let account, let teams, let returnTo):
      (kind, target) = (.removeMemberTeams, returnTo)
      list = [(.org, .text(org)), (.account, .text(account)), (.teams, .list(teams))]
    case .revokeInvite(let org, let inviteKey, let returnTo):
      (kind, target) = (.revokeInvite, returnTo)
      list = [(.org, .text(org)), (.inviteKey, .text(inviteKey))]
    case .setCapabilities(let org, let account, let team, let capabilities, let returnTo):
      (kind, target) = (.setCapabilities, returnTo)
      list = [
        (.org, .text(org)),
        account.map { (.account, .text($0)) },
        team.map { (.team, .text($0)) },
        (.capabilities, .mask(capabilities)),
      ]
    case .setAllApps(let org, let account, let allApps, let returnTo):
      (kind, target) = (.setAllApps, returnTo)
      list = [(.org, .text(org)), (.account, .text(account)), (.allApps, .flag(allApps))]
    case .release(let tag, let returnTo):
      (kind, list, target) = (.release, [(.tag, .text(tag))], returnTo)
    case .upgrade(let instance, let version, let returnTo):
      (kind, target) = (.upgrade, returnTo)
      list = [(.instance, .text(instance)), (.version, .text(version))]
    case .outbound(let instance, let hosts, let returnTo):
      (kind, target) = (.outbound, returnTo)
      list = [(.instance, .text(instance)), (.hosts, .list(hosts))]
    }
    list.append(target.map { (.returnTo, .text($0)) })
    return (kind, list.compactMap(\.self))
  }
}

extension ConsentRequestBody: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ConsentField.self)
    try container.encode(request.kind.rawValue, forKey: .kind)
    for (name, value) in fields {
      switch value {
      case .text(let text), .secret(let text): try container.encode(text, forKey: name)
      case .number(let number): try container.encode(number, forKey: name)
      case .flag(let flag): try container.encode(flag, forKey: name)
      case .mask(let mask): try container.encode(mask.rawValue, forKey: name)
      case .list(let items): try container.encode(items, forKey: name)
      case .rows(let rows): try container.encode(rows.map(TeamMembershipRow.init), forKey: name)
      }
    }
  }
}

/// `{"team","role","capabilities"}`.
struct TeamMembershipRow: Encodable {
  let team: String
  let role: String?
  let capabilities: UInt32?

  init(_ row: ConsentTeamMembership) {
    team = row.team
    role = row.role?.rawValue
    capabilities = row.capabilities?.rawValue
  }
}
