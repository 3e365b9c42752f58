package import EventLoop
package import MeroConsent

/// Every consent request that the node has taken, and where each stands. Pure: it is told the time.
package struct ConsentBook: Sendable {
  package struct Record: Sendable, Equatable {
    package let id: String
    package let account: String
    package let request: ConsentRequest
    package let code: String
    package internal(set) var expiresAt: WallInstant
    package internal(set) var standing = Standing.undecided
  }

  package enum Standing: Sendable, Equatable {
    case undecided
    case approved(ConsentOutcome?)
    case declined
    /// A newer request of the same account took its place.
    case replaced
  }

  package enum Decision: String, Sendable, CaseIterable {
    case approve
    case decline
  }

  /// Why there is nothing to decide.
  package enum Refused: Error, Equatable, Sendable {
    case unknown
    case replaced
    case expired
    case decided
  }

  /// Requests remembered at once; the oldest are forgotten first.
  package static let recordLimit = 10_000

  private var records: [String: Record] = [:]
  private var undecided: [String: String] = [:]
  private var order: [String] = []

  package init() {}

  /// In the order in which they were asked.
  package var all: [Record] { order.compactMap { records[$0] } }

  /// Takes a request. An undecided one of the same account is replaced by it: an account has one.
  package mutating func ask(
    _ request: ConsentRequest, by account: String, at now: WallInstant, lifetime: Duration
  ) -> Record {
    if let older = undecided[account] { replace(older) }
    let record = Record(
      id: Names.hex(bytes: 16), account: account, request: request, code: Names.code(),
      expiresAt: now + lifetime)
    records[record.id] = record
    undecided[account] = record.id
    order.append(record.id)
    if order.count > Self.recordLimit { forget(order.removeFirst()) }
    return record
  }

  /// The request, for its page: whoever has its address may look at it.
  package func record(_ id: String) -> Record? { records[id] }

  /// What the result call of `account` reads; `nil` is a 404: replaced, expired undecided,
  /// another account's, or unknown. It does not say which.
  package func result(of id: String, for account: String, at now: WallInstant) -> Record? {
    guard let record = records[id], record.account == account else { return nil }
    switch record.standing {
    case .undecided: return now < record.expiresAt ? record : nil
    case .approved, .declined: return record
    case .replaced: return nil
    }
  }

  /// What the person may still decide.
  package func decidable(_ id: String, at now: WallInstant) throws(Refused) -> Record {
    guard let record = records[id] else { throw .unknown }
    switch record.standing {
    case .approved, .declined: throw .decided
    case .replaced: throw .replaced
    case .undecided:
      guard now < record.expiresAt else { throw .expired }
      return record
    }
  }

  /// The person decided. `carryOut` is called for an approval, and only for one that counts.
  package mutating func decide(
    _ id: String, _ decision: Decision, at now: WallInstant,
    carryOut: (Record) -> ConsentOutcome?
  ) throws(Refused) -> Record {
    var record = try decidable(id, at: now)
    switch decision {
    case .approve: record.standing = .approved(carryOut(record))
    case .decline: record.standing = .declined
    }
    records[id] = record
    undecided[record.account] = nil
    return record
  }

  /// As if a newer request had come, without one.
  package mutating func replace(_ id: String, at now: WallInstant) throws(Refused) {
    _ = try decidable(id, at: now)
    replace(id)
  }

  /// Its time is up now.
  package mutating func expire(_ id: String, at now: WallInstant) throws(Refused) {
    _ = try decidable(id, at: now)
    records[id]?.expiresAt = now
  }

  private mutating func replace(_ id: String) {
    guard let record = records[id] else { return }
    records[id]?.standing = .replaced
    undecided[record.account] = nil
  }

  private mutating func forget(_ id: String) {
    guard let record = records.removeValue(forKey: id) else { return }
    if undecided[record.account] == id { undecided[record.account] = nil }
  }
}
