import FoundationEssentials

extension Ledger {
  /// - Parameter leavingRoom: whether the disk must have room left for what will come of it.
  func insert(_ session: SessionRow, leavingRoom: Bool = false) async throws(LedgerError) {
    try await insert(session, orElse: "", leaving: leavingRoom ? room : nil)
  }

  /// Records a session of the configuration: one of that id that is there is as this one says
  /// from now on, and open.
  func record(_ session: SessionRow) async throws(LedgerError) {
    try await insert(
      session,
      orElse: """
        ON CONFLICT (id) DO UPDATE SET key_hash = excluded.key_hash, account = excluded.account,
          trust = excluded.trust, origins = excluded.origins, return_to = excluded.return_to,
          used_at = excluded.used_at, ended_at = NULL
        """)
  }

  private func insert(
    _ session: SessionRow, orElse clause: String, leaving room: StateRoom? = nil
  ) async throws(LedgerError) {
    try await write { connection throws(LedgerError) in
      try room?.check()
      try connection.run(
        """
        INSERT INTO sessions (id, key_hash, package, account, node_url, trust, origins, return_to,
          created_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \(clause)
        """,
        [
          .text(session.id), .blob(session.keyHash), .text(session.package),
          .optional(session.account), .text(session.nodeURL), .text(session.trust),
          // Neither an origin nor any other URL holds a line feed.
          .text(session.origins.joined(separator: "\n")), .optional(session.returnTo),
          .integer(session.createdAt.ledgerTime), .integer(session.usedAt.ledgerTime),
        ])
    }
  }

  /// Sessions that have not ended, oldest first.
  func openSessions() throws(LedgerError) -> [SessionRow] {
    try read { connection throws(LedgerError) in
      try connection.query(
        """
        SELECT id, key_hash, package, account, node_url, trust, origins, return_to, created_at,
          used_at FROM sessions INDEXED BY sessions_open WHERE ended_at IS NULL
          ORDER BY created_at, id
        """
      ) { row throws(LedgerError) in
        SessionRow(
          id: try row.text(0), keyHash: try row.bytes(1), package: try row.text(2),
          account: try row.optionalText(3), nodeURL: try row.text(4), trust: try row.text(5),
          origins: try row.text(6).split(separator: "\n").map(String.init),
          returnTo: try row.optionalText(7), createdAt: Date(ledgerTime: row.integer(8)),
          usedAt: Date(ledgerTime: row.integer(9)))
      }
    }
  }

  /// Notes when sessions were used last.
  func touch(_ uses: [(session: String, at: Date)]) async throws(LedgerError) {
    try await write { connection throws(LedgerError) in
      for use in uses {
        try connection.run(
          "UPDATE sessions SET used_at = ? WHERE id = ?",
          [.integer(use.at.ledgerTime), .text(use.session)])
      }
    }
  }

  /// Ends a session and cancels its undecided requests, in one transaction.
  ///
  /// - Returns: the requests that were cancelled; none where it had ended before.
  func end(session: String, at time: Date, detail: String) async throws(LedgerError)
    -> [RecordedChange]
  {
    try await write { connection throws(LedgerError) in
      let ended = try connection.run(
        "UPDATE sessions SET ended_at = ? WHERE id = ? AND ended_at IS NULL",
        [.integer(time.ledgerTime), .text(session)])
      guard ended == 1 else { return [] }
      let undecided = try connection.query(
        """
        SELECT \(RequestRow.columns) FROM requests INDEXED BY requests_undecided
          WHERE finished_at IS NULL AND session = ? ORDER BY number
        """, [.text(session)]
      ) { row throws(LedgerError) in try RequestRow(row) }
      var changes: [RecordedChange] = []
      for row in undecided {
        let ending = RequestEnding(state: .cancelled, at: time, detail: detail)
        if let change = try RequestTable.finish(row.number, ending, on: connection) {
          changes.append(change)
        }
      }
      return changes
    }
  }

  /// Cancels requests that are undecided though their sessions have ended, a few at a time: a
  /// version that let them be may have left many. Nobody is told, since nobody can ask.
  ///
  /// - Returns: how many there were.
  func cancelLeftBehind(at time: Date, detail: String) async throws(LedgerError) -> Int {
    // Nothing is written where there is none, so that a disk that takes nothing is no obstacle.
    let isAny = try read { connection throws(LedgerError) in
      try !connection.query("\(SessionTable.leftBehind) LIMIT 1", once: true) { $0.integer(0) }
        .isEmpty
    }
    guard isAny else { return 0 }
    var count = 0
    while true {
      let step = try await write { connection throws(LedgerError) in
        try connection.run(
          """
          UPDATE requests SET state = 'cancelled', finished_at = ?, detail = ?,
            revision = revision + 1
            WHERE number IN (\(SessionTable.leftBehind) LIMIT \(SessionTable.rowsPerStep))
          """, [.integer(time.ledgerTime), .text(detail)])
      }
      count += step
      guard step == SessionTable.rowsPerStep else { return count }
    }
  }
}

/// What is asked of sessions inside of somebody's transaction.
enum SessionTable {
  static let rowsPerStep = 1000

  /// Undecided requests of sessions that have ended, or were forgotten since.
  static let leftBehind =
    """
    SELECT number FROM requests INDEXED BY requests_undecided WHERE finished_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM sessions WHERE id = requests.session AND ended_at IS NULL)
    """

  static func hasEnded(
    _ session: String, on connection: borrowing SQLiteConnection
  ) throws(LedgerError) -> Bool {
    try !connection.query(
      "SELECT 1 FROM sessions WHERE id = ? AND ended_at IS NOT NULL", [.text(session)]
    ) { row in row.integer(0) }.isEmpty
  }
}
