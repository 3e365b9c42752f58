/// What came of an approved request. It comes only from the node's sealed answer.
///
/// An invite token is a bearer credential: it prints as `<redacted>`.
public enum ConsentOutcome: Hashable, Sendable {
  case orgCreated(orgId: String)
  case inviteCreated(token: String)
  case inviteAccepted(org: String)
  case orgRenamed(orgId: String, name: String)
  /// The apps that were deleted with the organization.
  case orgDeleted(apps: [String])
}

extension ConsentOutcome {
  /// The outcomes' names on the wire.
  package enum Kind: String, Sendable, CaseIterable {
    case orgCreated, inviteCreated, inviteAccepted, orgRenamed, orgDeleted
  }

  package var kind: Kind {
    switch self {
    case .orgCreated: .orgCreated
    case .inviteCreated: .inviteCreated
    case .inviteAccepted: .inviteAccepted
    case .orgRenamed: .orgRenamed
    case .orgDeleted: .orgDeleted
    }
  }

  /// Whether it holds a bearer credential, which is kept in memory only.
  package var isSecret: Bool { kind == .inviteCreated }
}

extension ConsentOutcome: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String {
    switch self {
    case .orgCreated(let orgId): "orgCreated(orgId: \"\(orgId)\")"
    case .inviteCreated: "inviteCreated(token: \(redactedMark))"
    case .inviteAccepted(let org): "inviteAccepted(org: \"\(org)\")"
    case .orgRenamed(let orgId, let name): "orgRenamed(orgId: \"\(orgId)\", name: \"\(name)\")"
    case .orgDeleted(let apps): "orgDeleted(apps: \(apps))"
    }
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    let children: KeyValuePairs<String, Any> =
      switch self {
      case .orgCreated(let orgId): ["orgId": orgId]
      case .inviteCreated: ["token": redactedMark]
      case .inviteAccepted(let org): ["org": org]
      case .orgRenamed(let orgId, let name): ["orgId": orgId, "name": name]
      case .orgDeleted(let apps): ["apps": apps]
      }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}
