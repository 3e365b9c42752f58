import MeroConsent

// What `GET /dev` shows.
extension DevelopmentNode {
  var overview: JSON {
    [
      "url": .string(state.place.base), "transportKey": .string(transportKeyHex),
      "account": .string(account), "settings": settingsJSON,
      "rules": .array(state.plan.rules.map(JSON.init(rule:))),
      "calls": .object(
        Dictionary(
          uniqueKeysWithValues: CallName.allCases.map {
            ($0.rawValue, .number(Int64(state.calls[$0] ?? 0)))
          })),
      "requests": .array(state.consents.all.map(JSON.init(record:))),
      "organizations": .object(state.organizations.all.mapValues(JSON.init(organization:))),
      "invites": .array(state.organizations.invites.values.map(JSON.init(invite:))),
    ]
  }

  var settingsJSON: JSON {
    var settings: JSON = [
      "ttl": .milliseconds(state.settings.requestLifetime),
      "tokenTtl": .milliseconds(state.settings.tokenLifetime),
      "sessionTtl": .milliseconds(sealing.sessionLifetime),
      "clockSkew": .milliseconds(state.settings.clockSkew),
      "wrapped": .bool(state.settings.wrapsAnswers),
    ]
    settings["callback"] = state.settings.callback.map { .string($0.description) }
    return settings
  }
}

extension JSON {
  fileprivate static func milliseconds(_ duration: Duration) -> JSON {
    .number(duration.wholeMilliseconds)
  }

  init(rule: MisbehaviourPlan.Rule) {
    self = [
      "name": .string(rule.misbehaviour.rawValue), "skip": .number(Int64(rule.skip)),
      "times": rule.times.map { .number(Int64($0)) } ?? "forever",
    ]
    self["on"] = rule.call.map { .string($0.rawValue) }
    self["number"] = rule.number.map { .number(Int64($0)) }
    self["value"] = rule.text.map(JSON.string)
  }

  /// Without invite tokens: they are for the account that the answer goes to.
  fileprivate init(record: ConsentBook.Record) {
    let standing =
      switch record.standing {
      case .undecided: "undecided"
      case .approved: "approved"
      case .declined: "declined"
      case .replaced: "replaced"
      }
    self = [
      "requestId": .string(record.id), "account": .string(record.account),
      "kind": .string(record.request.kind.rawValue), "code": .string(record.code),
      "expiresAt": .string(record.expiresAt.rfc3339), "standing": .string(standing),
    ]
  }

  fileprivate init(organization: Organizations.Organization) {
    self = [
      "name": .string(organization.name), "members": .strings(organization.members.sorted()),
      "apps": .strings(organization.apps),
    ]
  }

  fileprivate init(invite: Organizations.Invite) {
    self = ["org": .string(invite.org), "key": .string(invite.key)]
    self["usesLeft"] = invite.usesLeft.map { .number(Int64($0)) }
    self["expiresAt"] = invite.expiresAt.map { .string($0.rfc3339) }
  }
}
