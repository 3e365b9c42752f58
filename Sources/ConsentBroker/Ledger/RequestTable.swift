import FoundationEssentials

/// How a request ends.
struct RequestEnding: Sendable {
  var state: RequestState
  var at: Date
  var outcome: StoredOutcome?
  var failure: String?
  var detail: String?
  /// Only where a return brought the end.
  var lastReturn: LastReturn?
}

/// The steps of a request, each inside somebody's transaction.
enum RequestTable {
  private static let findById =
    "SELECT \(RequestRow.columns) FROM requests WHERE session = ? AND request_id = ?"
  private static let findByNumber = "SELECT \(RequestRow.columns) FROM requests WHERE number = ?"

  static func find(
    session: String, requestId: String, on connection: borrowing SQLiteConnection
  ) throws(LedgerError) -> RequestRow? {
    try connection.query(findById, [.text(session), .text(requestId)]) { row throws(LedgerError) in
      try RequestRow(row)
    }.first
  }

  static func find(
    number: Int64, on connection: borrowing SQLiteConnection
  ) throws(LedgerError) -> RequestRow? {
    try connection.query(findByNumber, [.integer(number)]) { row throws(LedgerError) in
      try RequestRow(row)
    }.first
  }

  static func find(
    session: String, idempotencyKey: String, on connection: borrowing SQLiteConnection
  ) throws(LedgerError) -> RequestRow? {
    try connection.query(
      """
      SELECT \(RequestRow.columns) FROM requests INDEXED BY requests_idempotent
        WHERE session = ? AND idempotency_key = ?
      """, [.text(session), .text(idempotencyKey)]
    ) { row throws(LedgerError) in try RequestRow(row) }.first
  }

  /// - Returns: the number that the row was given.
  static func insert(
    _ row: RequestRow, on connection: borrowing SQLiteConnection
  ) throws(LedgerError) -> Int64 {
    try connection.run(
      """
      INSERT INTO requests (session, request_id, ticket, kind, state, revision, code, url,
        created_at, expires_at, lifetime_cut, finished_at, outcome, failure, detail,
        last_return_at, last_return_code, idempotency_key, idempotency_body, node_expires_at,
        unheard)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, row.values)
    return connection.lastInsertedRow()
  }

  /// Ends a request that nothing has ended yet.
  ///
  /// - Returns: `nil` where it is finished, or gone: the first end stays.
  static func finish(
    _ number: Int64, _ ending: RequestEnding, on connection: borrowing SQLiteConnection
  ) throws(LedgerError) -> RecordedChange? {
    let changed = try connection.run(
      """
      UPDATE requests SET state = ?, finished_at = ?, outcome = ?, failure = ?, detail = ?,
        last_return_at = coalesce(?, last_return_at),
        last_return_code = coalesce(?, last_return_code), revision = revision + 1
        WHERE number = ? AND finished_at IS NULL
      """,
      [
        .text(ending.state.rawValue), .integer(ending.at.ledgerTime),
        .optional(ending.outcome?.text), .optional(ending.failure), .optional(ending.detail),
        .optional(ending.lastReturn?.at.ledgerTime), .optional(ending.lastReturn?.code),
        .integer(number),
      ])
    guard changed == 1 else { return nil }
    return try tell(of: number, at: ending.at, on: connection)
  }

  /// Adds the event of a change that was just made, and reads the row back as it is kept.
  static func tell(
    of number: Int64, at time: Date, on connection: borrowing SQLiteConnection
  ) throws(LedgerError) -> RecordedChange? {
    guard let row = try find(number: number, on: connection) else { return nil }
    try connection.run(
      """
      INSERT INTO events (session, request_id, state, last_return_at, last_return_code, at)
        VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .text(row.session), .text(row.requestId), .text(row.state.rawValue),
        .optional(row.lastReturn?.at.ledgerTime), .optional(row.lastReturn?.code),
        .integer(time.ledgerTime),
      ])
    let event = BrokerEvent(
      sequence: connection.lastInsertedRow(), requestId: row.requestId, state: row.state,
      lastReturn: row.lastReturn)
    return RecordedChange(row: row, event: event)
  }
}
