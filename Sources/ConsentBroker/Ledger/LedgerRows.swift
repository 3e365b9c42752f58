import FoundationEssentials

/// One session as it is kept. Its tokens are nowhere on disk, and of its key only the SHA-256.
struct SessionRow: Sendable, Equatable {
  var id: String
  var keyHash: [UInt8]
  var package: String
  var account: String?
  var nodeURL: String
  /// JSON, as in the local API.
  var trust: String
  var origins: [String]
  var returnTo: String?
  var createdAt: Date
  var usedAt: Date
}

/// One request as it is kept.
struct RequestRow: Sendable, Equatable {
  /// Its place in time; 0 until it was inserted.
  var number: Int64 = 0
  var session: String
  /// The node's, or `starting-…` as long as the node has given none.
  var requestId: String
  var ticket: String
  var kind: String
  var state: RequestState
  /// Grows with each change; the entity tag is made of it.
  var revision: Int64 = 1
  var code: String?
  var url: String?
  var createdAt: Date
  /// By this machine's clock.
  var expiresAt: Date?
  /// By the node's clock, which has the last word. `nil` in a record of an older daemon.
  var nodeExpiresAt: Date?
  /// Seconds for which nothing was heard of it though it may have been over.
  var unheard: Int64 = 0
  var lifetimeCut = false
  var finishedAt: Date?
  var outcome: StoredOutcome?
  var failure: String?
  var detail: String?
  var lastReturn: LastReturn?
  var idempotency: Idempotency?
}

/// An `Idempotency-Key`, and the SHA-256 of the call that it came with first.
struct Idempotency: Sendable, Equatable {
  let key: String
  let body: [UInt8]
}

/// A change of a request, and the event that tells of it.
struct RecordedChange: Sendable, Equatable {
  let row: RequestRow
  let event: BrokerEvent
}

extension Date {
  /// Milliseconds since 1970, as the ledger keeps times. Saturates where they do not fit.
  var ledgerTime: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? .max }

  init(ledgerTime: Int64) { self.init(timeIntervalSince1970: Double(ledgerTime) / 1000) }

  /// As it will be read back, so that a view is the same before and after a restart.
  var asKept: Date { Date(ledgerTime: ledgerTime) }
}

extension RequestRow {
  static let columns = """
    number, session, request_id, ticket, kind, state, revision, code, url, created_at, expires_at, \
    lifetime_cut, finished_at, outcome, failure, detail, last_return_at, last_return_code, \
    idempotency_key, idempotency_body, node_expires_at, unheard
    """

  /// Without an outcome that is long (`Ledger.outcome`).
  ///
  /// - Parameter row: of a SELECT of `columns`.
  init(_ row: borrowing SQLiteStatement) throws(LedgerError) {
    let stateText = try row.text(5)
    guard let state = RequestState(rawValue: stateText) else {
      throw .damaged("a request in a state that does not exist")
    }
    number = row.integer(0)
    session = try row.text(1)
    requestId = try row.text(2)
    ticket = try row.text(3)
    kind = try row.text(4)
    self.state = state
    revision = row.integer(6)
    code = try row.optionalText(7)
    url = try row.optionalText(8)
    createdAt = Date(ledgerTime: row.integer(9))
    expiresAt = row.optionalInteger(10).map(Date.init(ledgerTime:))
    lifetimeCut = row.integer(11) != 0
    finishedAt = row.optionalInteger(12).map(Date.init(ledgerTime:))
    let outcomeBytes = row.byteCount(13)
    outcome =
      outcomeBytes > BrokerLimits.listedOutcome
      ? StoredOutcome(leftOut: outcomeBytes)
      : try row.optionalText(13).map(StoredOutcome.init(text:))
    failure = try row.optionalText(14)
    detail = try row.optionalText(15)
    lastReturn = try LastReturn(row, at: 16, code: 17)
    if let key = try row.optionalText(18) {
      idempotency = Idempotency(key: key, body: try row.bytes(19))
    }
    nodeExpiresAt = row.optionalInteger(20).map(Date.init(ledgerTime:))
    unheard = row.integer(21)
  }

  /// In the order of `columns`, without `number`.
  var values: [SQLValue] {
    [
      .text(session), .text(requestId), .text(ticket), .text(kind), .text(state.rawValue),
      .integer(revision), .optional(code), .optional(url), .integer(createdAt.ledgerTime),
      .optional(expiresAt?.ledgerTime), .integer(lifetimeCut ? 1 : 0),
      .optional(finishedAt?.ledgerTime), .optional(outcome?.text), .optional(failure),
      .optional(detail), .optional(lastReturn?.at.ledgerTime), .optional(lastReturn?.code),
      .optional(idempotency?.key), idempotency.map { .blob($0.body) } ?? .null,
      .optional(nodeExpiresAt?.ledgerTime), .integer(unheard),
    ]
  }
}

extension LastReturn {
  init?(_ row: borrowing SQLiteStatement, at: Int, code: Int) throws(LedgerError) {
    guard let time = row.optionalInteger(at), let word = try row.optionalText(code) else {
      return nil
    }
    self.init(at: Date(ledgerTime: time), code: word)
  }
}

extension BrokerEvent {
  static let columns = "sequence, request_id, state, last_return_at, last_return_code"

  /// - Parameter row: of a SELECT of `columns`.
  init(_ row: borrowing SQLiteStatement) throws(LedgerError) {
    guard let state = RequestState(rawValue: try row.text(2)) else {
      throw .damaged("an event of a state that does not exist")
    }
    self.init(
      sequence: row.integer(0), requestId: try row.text(1), state: state,
      lastReturn: try LastReturn(row, at: 3, code: 4))
  }
}
