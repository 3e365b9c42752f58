/// What the node says about a request, checked.
public struct ConsentResult: Hashable, Sendable {
  /// Raw values are the protocol.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case pending, approved, declined
  }

  public let requestId: String
  /// What was asked. `nil` when this client did not start the request and was not told.
  public let kind: ConsentKind?
  public let status: Status
  /// Present exactly when the request was approved and is of a kind that has one.
  public let outcome: ConsentOutcome?

  /// For results whose fields were checked against each other (`ResultCheck`).
  package init(requestId: String, kind: ConsentKind?, status: Status, outcome: ConsentOutcome?) {
    self.requestId = requestId
    self.kind = kind
    self.status = status
    self.outcome = outcome
  }
}

extension ConsentResult {
  /// The organization that was founded.
  public var orgId: String? {
    guard case .orgCreated(let orgId) = outcome else { return nil }
    return orgId
  }

  /// The invite that was minted: a bearer credential. Do not log it.
  public var inviteToken: String? {
    guard case .inviteCreated(let token) = outcome else { return nil }
    return token
  }

  /// The organization that was joined.
  public var joinedOrg: String? {
    guard case .inviteAccepted(let org) = outcome else { return nil }
    return org
  }

  /// The name that the organization has now.
  public var newOrgName: String? {
    guard case .orgRenamed(_, let name) = outcome else { return nil }
    return name
  }

  /// The apps that were deleted with the organization.
  public var deletedApps: [String]? {
    guard case .orgDeleted(let apps) = outcome else { return nil }
    return apps
  }

  /// Approved, and of an organization kind: read again what lists organizations, members or
  /// teams. Where the kind is not known, an approval counts: reading again does no harm.
  public var changesOrganizations: Bool {
    status == .approved && (kind?.concernsOrganizations ?? true)
  }
}

extension ConsentResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    let asked = kind?.rawValue ?? "unknown kind"
    let came = outcome.map { ", \($0)" } ?? ""
    return "ConsentResult(\(requestId), \(asked), \(status.rawValue)\(came))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "requestId": requestId, "kind": kind as Any, "status": status, "outcome": outcome as Any,
      ], displayStyle: .struct)
  }
}
