import FoundationEssentials

/// What the node answered to a start.
struct RequestStart: Sendable {
  var requestId: String
  var code: String
  var url: String
  var expiresAt: Date
  var nodeExpiresAt: Date
  var lifetimeCut: Bool
}

/// What became of a row that was to be inserted.
enum InsertedRequest: Sendable {
  /// New. The event is that of a request recorded as `started`; a `starting` one has none.
  case inserted(RequestRow, BrokerEvent?)
  /// There already: the same `Idempotency-Key` and body, or the same id recorded twice.
  case repeated(RequestRow)
  /// The `Idempotency-Key` came with another body before.
  case keyReused
  /// Its session has ended, which would never end it.
  case sessionEnded
}

/// What became of a row that was `starting`.
enum StartedRequest: Sendable {
  case started(RecordedChange)
  /// It ended meanwhile: its session was closed.
  case ended(RequestRow?)
  /// The node gave an id that this session has had before.
  case idReused
}

extension Ledger {
  /// Writes a row `starting`, or `started` where the app asked the node itself.
  ///
  /// - Parameter leavingRoom: whether the disk must have room left for what will come of it.
  func insert(
    _ row: RequestRow, leavingRoom: Bool = false
  ) async throws(LedgerError) -> InsertedRequest {
    let room = leavingRoom ? room : nil
    return try await write { connection throws(LedgerError) in
      guard try !SessionTable.hasEnded(row.session, on: connection) else { return .sessionEnded }
      if let idempotency = row.idempotency,
        let known = try RequestTable.find(
          session: row.session, idempotencyKey: idempotency.key, on: connection)
      {
        return known.idempotency == idempotency ? .repeated(known) : .keyReused
      }
      if let known = try RequestTable.find(
        session: row.session, requestId: row.requestId, on: connection)
      {
        return .repeated(known)
      }
      try room?.check()
      var inserted = row
      inserted.number = try RequestTable.insert(row, on: connection)
      guard row.state != .starting else { return .inserted(inserted, nil) }
      let change = try RequestTable.tell(of: inserted.number, at: row.createdAt, on: connection)
      return .inserted(inserted, change?.event)
    }
  }

  /// Gives a `starting` row what the node answered.
  func start(_ number: Int64, _ start: RequestStart, at time: Date) async throws(LedgerError)
    -> StartedRequest
  {
    try await write { connection throws(LedgerError) in
      guard let row = try RequestTable.find(number: number, on: connection) else {
        return .ended(nil)
      }
      guard row.state == .starting else { return .ended(row) }
      if try RequestTable.find(
        session: row.session, requestId: start.requestId, on: connection) != nil
      {
        return .idReused
      }
      try connection.run(
        """
        UPDATE requests SET state = 'started', request_id = ?, code = ?, url = ?, expires_at = ?,
          node_expires_at = ?, lifetime_cut = ?, revision = revision + 1 WHERE number = ?
        """,
        [
          .text(start.requestId), .text(start.code), .text(start.url),
          .integer(start.expiresAt.ledgerTime), .integer(start.nodeExpiresAt.ledgerTime),
          .integer(start.lifetimeCut ? 1 : 0), .integer(number),
        ])
      guard let change = try RequestTable.tell(of: number, at: time, on: connection) else {
        return .ended(nil)
      }
      return .started(change)
    }
  }

  /// Forgets a start that the node refused: its `Idempotency-Key` is free again.
  func forgetStarting(_ number: Int64) async throws(LedgerError) {
    try await write { connection throws(LedgerError) in
      try connection.run(
        "DELETE FROM requests WHERE number = ? AND state = 'starting'", [.integer(number)])
    }
  }

  /// - Returns: `nil` where something else ended it first.
  func finish(_ number: Int64, _ ending: RequestEnding) async throws(LedgerError)
    -> RecordedChange?
  {
    try await write { connection throws(LedgerError) in
      try RequestTable.finish(number, ending, on: connection)
    }
  }

  /// Notes a refused return on an undecided request.
  ///
  /// - Returns: `nil` where the request is finished, which nothing changes any more.
  func note(_ lastReturn: LastReturn, on number: Int64) async throws(LedgerError)
    -> RecordedChange?
  {
    try await write { connection throws(LedgerError) in
      let changed = try connection.run(
        """
        UPDATE requests SET last_return_at = ?, last_return_code = ?, revision = revision + 1
          WHERE number = ? AND finished_at IS NULL
        """,
        [.integer(lastReturn.at.ledgerTime), .text(lastReturn.code), .integer(number)])
      guard changed == 1 else { return nil }
      return try RequestTable.tell(of: number, at: lastReturn.at, on: connection)
    }
  }

  /// Notes the first return that met the end of a finished request. No event: its end was told.
  ///
  /// - Returns: the row, which is as before where such a return is noted already.
  func noteAfterEnd(_ lastReturn: LastReturn, on number: Int64) async throws(LedgerError)
    -> RequestRow?
  {
    try await write { connection throws(LedgerError) in
      try connection.run(
        """
        UPDATE requests SET last_return_at = ?, last_return_code = ?, revision = revision + 1
          WHERE number = ? AND finished_at IS NOT NULL AND last_return_code IS NOT ?
        """,
        [
          .integer(lastReturn.at.ledgerTime), .text(lastReturn.code), .integer(number),
          .text(lastReturn.code),
        ])
      return try RequestTable.find(number: number, on: connection)
    }
  }

  /// Keeps when undecided requests end by a wall clock that was set, or that the node's clock has
  /// proved wrong, and for how long nothing was heard of them. Nobody is told: they end when they did
  /// before.
  func keepTimes(of rows: [RequestRow]) async throws(LedgerError) {
    guard !rows.isEmpty else { return }
    try await write { connection throws(LedgerError) in
      for row in rows {
        try connection.run(
          """
          UPDATE requests SET expires_at = ?, node_expires_at = ?, lifetime_cut = ?, unheard = ?
            WHERE number = ? AND finished_at IS NULL
          """,
          [
            .optional(row.expiresAt?.ledgerTime), .optional(row.nodeExpiresAt?.ledgerTime),
            .integer(row.lifetimeCut ? 1 : 0), .integer(row.unheard), .integer(row.number),
          ])
      }
    }
  }

  // MARK: Reading

  /// Everything that is not finished, of all sessions that have not ended, oldest first.
  func undecided() throws(LedgerError) -> [RequestRow] {
    try rows(
      """
      INDEXED BY requests_undecided WHERE finished_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM sessions WHERE id = requests.session AND ended_at IS NOT NULL)
        ORDER BY number
      """, [])
  }

  func request(_ requestId: String, of session: String) throws(LedgerError) -> RequestRow? {
    try read { connection throws(LedgerError) in
      try RequestTable.find(session: session, requestId: requestId, on: connection)
    }
  }

  func request(number: Int64) throws(LedgerError) -> RequestRow? {
    try read { connection throws(LedgerError) in
      try RequestTable.find(number: number, on: connection)
    }
  }

  func request(idempotencyKey: String, of session: String) throws(LedgerError) -> RequestRow? {
    try read { connection throws(LedgerError) in
      try RequestTable.find(session: session, idempotencyKey: idempotencyKey, on: connection)
    }
  }

  /// The whole outcome of a request, as it is written; `nil` where there is none.
  func outcome(of number: Int64) throws(LedgerError) -> String? {
    try read { connection throws(LedgerError) in
      try connection.query(
        "SELECT outcome FROM requests WHERE number = ?", [.integer(number)]
      ) { row throws(LedgerError) in try row.optionalText(0) }.first ?? nil
    }
  }

  func request(ticket: String) throws(LedgerError) -> RequestRow? {
    try rows("WHERE ticket = ?", [.text(ticket)]).first
  }

  /// The newest requests of an id, whose ever they are: for a return that has no ticket. A few tell
  /// whether they agree.
  func newestRequests(named requestId: String) throws(LedgerError) -> [RequestRow] {
    try rows(
      "INDEXED BY requests_by_id WHERE request_id = ? ORDER BY number DESC LIMIT 8",
      [.text(requestId)])
  }

  /// A session's requests, newest first, older than `before` where that is given. Long outcomes are
  /// left out.
  func requests(
    of session: String, state: RequestState?, limit: Int, before: Int64?
  ) throws(LedgerError) -> [RequestRow] {
    let older = SQLValue.integer(before ?? .max)
    guard let state else {
      return try rows(
        """
        INDEXED BY requests_listed WHERE session = ? AND number < ?
          ORDER BY number DESC LIMIT ?
        """, [.text(session), older, .integer(Int64(limit))])
    }
    return try rows(
      """
      INDEXED BY requests_by_state WHERE session = ? AND state = ? AND number < ?
        ORDER BY number DESC LIMIT ?
      """, [.text(session), .text(state.rawValue), older, .integer(Int64(limit))])
  }

  private func rows(_ clause: String, _ values: [SQLValue]) throws(LedgerError) -> [RequestRow] {
    let sql = "SELECT \(RequestRow.columns) FROM requests \(clause)"
    return try read { connection throws(LedgerError) in
      try connection.query(sql, values) { row throws(LedgerError) in try RequestRow(row) }
    }
  }
}
