import EventLoop
import FoundationEssentials
import MeroConsent

/// An open session: what the ledger has of it, and what only memory may hold.
@LoopActor final class Session {
  private(set) var row: SessionRow
  /// The account in lower case, and its node; `nil` where the account is not known.
  private var account: (id: String, node: String)?
  private(set) var trust: SessionTrust
  /// What the configuration read for it last, as a hash; `nil` for an app's session.
  var tokensRead: [UInt8]?
  /// `nil` after a restart, until the app sends new tokens.
  var client: MeroClient?
  /// The node refused to renew the tokens.
  var tokensAreSpent = false
  /// How often the app gave tokens: an answer to older ones says nothing of newer ones.
  var tokensGiven = 1
  /// The newest tokens. Never on disk.
  var tokens: SessionTokens?
  /// The invite tokens of requests that were decided in this run, by the requests' numbers.
  private(set) var secrets = SecretOutcomes()
  /// Of outcomes that memory has lost and the node did not tell again, by the requests' numbers.
  var outcomeFailures: [Int64: OutcomeFailure] = [:] {
    didSet { if outcomeFailures.count > SecretOutcomes.most { outcomeFailures = [:] } }
  }
  let events: EventHub
  /// Whether the daemon has to stay for it: an app's session is lost when the daemon sleeps, one
  /// of the configuration is read again.
  var keepsAwake: Bool { !isConfigured }

  /// In time awake: an app that slept too could not use it.
  var usedAt: AwakeInstant
  /// It was read from the record, and is only as right as the wall clock was.
  var useIsByWallClock = false
  /// What the ledger has; it follows in steps of `SessionVault.touchInterval`.
  var recordedUse: Date

  /// Starts under way, by their `Idempotency-Key`.
  var starts: [OpaqueID: StartUnderWay] = [:]
  var startsUnderWay = 0
  var undecided = 0
  /// It has ended. Whoever was waiting for something meanwhile gives it nothing any more: nothing
  /// would ever end that. Another session may have its id (one of the configuration).
  private(set) var isClosed = false
  /// Bytes of its undecided requests and starts, beyond what each has for itself.
  var openBytes = 0
  /// Its node has answered a start with more than a request has for itself, as no ordinary one does.
  var answersAreLong = false
  /// Ends of it that are on their way to the disk, and with them those of its requests. Several may
  /// be: each wish to close it is one, and the disk may take any of them.
  var endsUnderWay = 0
  var turns = SessionTurns()
  /// Calls of its app that wait for the verdict on a return.
  var returnCalls = 0
  var waits = 0
  var streams = 0
  /// Whether the node answered last time; `nil` before the first call.
  var nodeIsReachable: Bool?
  /// Why it did not, as far as the log has told it since it began.
  var nodeFailuresTold: Set<ConsentError.Code> = []

  init(_ row: SessionRow, trust: SessionTrust, eventsAfter sequence: Int64) {
    self.row = row
    account = Self.account(of: row)
    self.trust = trust
    isConfigured = row.id.hasPrefix(RandomName.configured)
    events = EventHub(after: sequence)
    usedAt = .now
    recordedUse = row.usedAt
  }

  var id: String { row.id }

  func close() { isClosed = true }

  /// Whether it is one of the configuration's, which neither ends unused nor keeps the daemon awake.
  let isConfigured: Bool

  /// The configuration says something else of it now. Its id stays.
  func change(to row: SessionRow, trust: SessionTrust) {
    (self.row, self.trust) = (row, trust)
    account = Self.account(of: row)
  }

  /// Whether nothing can be asked of the node until the app sends new tokens.
  var needsTokens: Bool { client == nil || tokensAreSpent }

  /// Why nothing can be asked of the node.
  ///
  /// - Precondition: `needsTokens`.
  var tokensAreNeeded: ConsentError {
    ConsentError(
      .sessionExpired,
      advice: client == nil
        ? "The service was started again and no longer has this session's tokens. Give it new ones, "
          + "then ask again." : nil)
  }

  /// Whether somebody counts on it, so that it is not unused.
  var isBusy: Bool { startsUnderWay + undecided + waits + streams > 0 }

  /// Two requests of one account and node replace each other. Without an account, only those
  /// of one session do.
  func sharesAccount(with other: Session) -> Bool {
    if self === other { return true }
    guard let account, let its = other.account else { return false }
    return account == its
  }

  /// Hexadecimal, in either case. To take two for one costs a read of the node, no more.
  private static func account(of row: SessionRow) -> (id: String, node: String)? {
    row.account.map { ($0.lowercased(), row.nodeURL) }
  }

  func keep(_ outcome: ConsentOutcome, of number: Int64) { secrets.keep(outcome, of: number) }

  var view: SessionView {
    SessionView(
      session: row.id, package: row.package, account: row.account, nodeURL: row.nodeURL,
      trust: trust, origins: row.origins, returnTo: row.returnTo, createdAt: row.createdAt,
      needsSession: needsTokens)
  }
}

/// Why an outcome could not be read again.
struct OutcomeFailure {
  let error: ConsentError
  /// The node asked not to be asked before.
  let notBefore: BootInstant
}

/// Outcomes that hold a credential, in memory only. The oldest go first: the node has them still.
struct SecretOutcomes {
  static let most = 64
  /// Bytes of all of them; the newest is kept in any case.
  static let bytes = 64 * 1024

  private var outcomes: [(number: Int64, outcome: ConsentOutcome)] = []

  mutating func keep(_ outcome: ConsentOutcome, of number: Int64) {
    outcomes.removeAll { $0.number == number }
    if outcomes.count == Self.most { outcomes.removeFirst() }
    outcomes.append((number, outcome))
    while outcomes.count > 1, total > Self.bytes { outcomes.removeFirst() }
  }

  private var total: Int {
    outcomes.reduce(0) { sum, kept in
      guard case .inviteCreated(let token) = kept.outcome else { return sum }
      return sum + token.utf8.count
    }
  }

  subscript(number: Int64) -> ConsentOutcome? {
    outcomes.last { $0.number == number }?.outcome
  }
}
