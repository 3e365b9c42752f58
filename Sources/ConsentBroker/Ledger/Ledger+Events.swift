import FoundationEssentials

extension Ledger {
  /// A session's events after a sequence number, oldest first.
  func events(
    of session: String, after sequence: Int64, limit: Int
  ) throws(LedgerError) -> [BrokerEvent] {
    try read { connection throws(LedgerError) in
      try connection.query(
        """
        SELECT \(BrokerEvent.columns) FROM events INDEXED BY events_of_session
          WHERE session = ? AND sequence > ? ORDER BY sequence LIMIT ?
        """, [.text(session), .integer(sequence), .integer(Int64(limit))]
      ) { row throws(LedgerError) in try BrokerEvent(row) }
    }
  }

  /// The sequence number of the newest event; 0 before the first.
  func lastSequence() throws(LedgerError) -> Int64 {
    try read { connection throws(LedgerError) in
      try connection.query("SELECT seq FROM sqlite_sequence WHERE name = 'events'") { row in
        row.integer(0)
      }.first ?? 0
    }
  }

  /// Removes a few of the oldest finished requests, events and ended sessions.
  ///
  /// - Parameters:
  ///   - cutoff: what ended before it goes.
  ///   - latest: no time is later, by anybody's clock. What has one was recorded while this machine's
  ///     clock was ahead, and counts as of then.
  /// - Returns: whether there may be more to remove.
  func removeOld(
    before cutoff: Date, noneAfter latest: Date
  ) async throws(LedgerError) -> Bool {
    try await write { connection throws(LedgerError) in
      let time = SQLValue.integer(cutoff.ledgerTime)
      let limit = SQLValue.integer(latest.ledgerTime)
      let ahead = try Self.isAhead.map { sql throws(LedgerError) in
        try connection.run(sql, [limit, limit])
      }
      let requests = try connection.run(
        """
        DELETE FROM requests WHERE number IN (SELECT number FROM requests
          INDEXED BY requests_finished WHERE finished_at < ? LIMIT \(Retention.rowsPerStep))
        """, [time])
      let events = try connection.run(
        """
        DELETE FROM events WHERE sequence IN (SELECT sequence FROM events INDEXED BY events_by_time
          WHERE at < ? LIMIT \(Retention.rowsPerStep))
        """, [time])
      let sessions = try connection.run(
        """
        DELETE FROM sessions WHERE id IN (SELECT id FROM sessions INDEXED BY sessions_ended
          WHERE ended_at < ? LIMIT \(Retention.rowsPerStep))
        """, [time])
      return (ahead + [requests, events, sessions]).max() == Retention.rowsPerStep
    }
  }

  /// Each brings a few times down to one that is given twice.
  private static let isAhead = [
    """
    UPDATE requests SET finished_at = ?, revision = revision + 1 WHERE number IN (SELECT number
      FROM requests INDEXED BY requests_finished WHERE finished_at > ?
      LIMIT \(Retention.rowsPerStep))
    """,
    """
    UPDATE events SET at = ? WHERE sequence IN (SELECT sequence FROM events
      INDEXED BY events_by_time WHERE at > ? LIMIT \(Retention.rowsPerStep))
    """,
    """
    UPDATE sessions SET ended_at = ? WHERE id IN (SELECT id FROM sessions INDEXED BY sessions_ended
      WHERE ended_at > ? LIMIT \(Retention.rowsPerStep))
    """,
  ]
}

/// How the ledger forgets.
enum Retention {
  /// A step this small keeps no verdict waiting for long.
  static let rowsPerStep = 100
}
