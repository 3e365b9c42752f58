package import EventLoop

/// Organizations and invites, as far as the outcomes of consent need them.
///
/// Not modelled: who may do what, and whether an organization that a request names exists. One that
/// is named and unknown comes into being on approval, so that an app can be tried with made-up ids.
/// Members, roles, teams and capabilities are kept nowhere: no outcome speaks of them.
package struct Organizations: Sendable {
  package struct Organization: Sendable, Equatable {
    package var name: String
    package var members: Set<String>
    package var apps: [String]
  }

  package struct Invite: Sendable, Equatable {
    package let org: String
    /// Names the invite where its token must not be shown; what revoking takes.
    package let key: String
    package let expiresAt: WallInstant?
    package var usesLeft: Int?
  }

  /// Organizations and invites kept at once; beyond it the node refuses to make more.
  package static let limit = 10_000
  /// Every organization comes with one app, so that deleting it has something to name.
  package static let standardApp = "com.example.notes"

  package private(set) var all: [String: Organization] = [:]
  package private(set) var invites: [String: Invite] = [:]

  package init() {}

  package var isFull: Bool { all.count >= Self.limit || invites.count >= Self.limit }

  package mutating func create(name: String, owner: String) -> String {
    let id = Names.hex(bytes: 32)
    all[id] = Organization(name: name, members: [owner], apps: [Self.standardApp])
    return id
  }

  package mutating func rename(_ org: String, to name: String, by account: String) {
    know(org, account)
    all[org]?.name = name
  }

  /// - Returns: the apps that went with it.
  package mutating func delete(_ org: String, by account: String) -> [String] {
    know(org, account)
    invites = invites.filter { $0.value.org != org }
    return all.removeValue(forKey: org)?.apps ?? []
  }

  package mutating func remove(_ member: String, from org: String) {
    all[org]?.members.remove(member)
  }

  /// - Returns: the token, a bearer credential.
  package mutating func invite(
    to org: String, by account: String, expiresAt: WallInstant?, uses: Int?
  ) -> String {
    know(org, account)
    let token = "invite-" + Names.hex(bytes: 32)
    invites[token] = Invite(
      org: org, key: Names.hex(bytes: 32), expiresAt: expiresAt, usesLeft: uses)
    return token
  }

  /// Whether a token may be accepted: true also of one that the node has never seen.
  package func isOpen(_ token: String, at now: WallInstant) -> Bool {
    guard let invite = invites[token] else { return true }
    if let expiresAt = invite.expiresAt, expiresAt <= now { return false }
    return invite.usesLeft != 0
  }

  /// - Returns: the organization that the account is now a member of.
  package mutating func accept(_ token: String, by account: String) -> String {
    guard let invite = invites[token] else { return create(name: "Made up", owner: account) }
    if let uses = invite.usesLeft { invites[token]?.usesLeft = max(0, uses - 1) }
    all[invite.org]?.members.insert(account)
    return invite.org
  }

  /// The invite stays known, so that its token is refused and not taken for a made-up one.
  package mutating func revoke(inviteKey: String) {
    for (token, invite) in invites where invite.key == inviteKey { invites[token]?.usesLeft = 0 }
  }

  private mutating func know(_ org: String, _ account: String) {
    if all[org] == nil {
      all[org] = Organization(name: org, members: [account], apps: [Self.standardApp])
    }
  }
}
