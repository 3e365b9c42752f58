/// The shape of the database, a step at a time. `PRAGMA user_version` is how many were done.
///
/// A step that was released is never edited: add another.
enum LedgerSchema {
  static var version: Int { steps.count }

  /// Brings the database to this version, in one transaction.
  ///
  /// - Throws: `.newerVersion` where a newer daemon has been here; nothing is touched then.
  static func migrate(_ connection: borrowing SQLiteConnection) throws(LedgerError) {
    let found =
      try connection.query("PRAGMA user_version") { row in Int(row.integer(0)) }.first ?? 0
    guard found <= version else { throw .newerVersion(found) }
    guard found < version else { return }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      if found == 0 { try refuseForeignTables(connection) }
      for step in steps[found...] { try connection.execute(step) }
      try connection.execute("PRAGMA user_version = \(version)")
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction() { try connection.execute("ROLLBACK") }
      throw error
    }
  }

  /// A database without a version that has tables is not ours, or not whole.
  private static func refuseForeignTables(
    _ connection: borrowing SQLiteConnection
  ) throws(LedgerError) {
    let tables = try connection.query("SELECT count(*) FROM sqlite_schema") { row in row.integer(0)
    }
    guard tables == [0] else { throw .damaged("tables without a schema version") }
  }

  private static let steps = [
    // 1. Times are milliseconds since 1970. Ids compare byte for byte (BINARY, the default).
    // AUTOINCREMENT: a number is never given twice, also after its row was removed.
    """
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY NOT NULL,
      key_hash BLOB NOT NULL,
      package TEXT NOT NULL,
      account TEXT,
      node_url TEXT NOT NULL,
      trust TEXT NOT NULL,
      origins TEXT NOT NULL,
      return_to TEXT,
      created_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL,
      ended_at INTEGER
    ) STRICT;
    CREATE INDEX sessions_open ON sessions (id) WHERE ended_at IS NULL;
    CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;

    CREATE TABLE requests (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      session TEXT NOT NULL,
      request_id TEXT NOT NULL,
      ticket TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      state TEXT NOT NULL,
      revision INTEGER NOT NULL,
      code TEXT,
      url TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      finished_at INTEGER,
      outcome TEXT,
      failure TEXT,
      detail TEXT,
      last_return_at INTEGER,
      last_return_code TEXT,
      idempotency_key TEXT,
      idempotency_body BLOB,
      UNIQUE (session, request_id)
    ) STRICT;
    CREATE INDEX requests_listed ON requests (session, number);
    CREATE INDEX requests_by_state ON requests (session, state, number);
    CREATE INDEX requests_by_id ON requests (request_id);
    CREATE INDEX requests_undecided ON requests (number) WHERE finished_at IS NULL;
    CREATE INDEX requests_finished ON requests (finished_at) WHERE finished_at IS NOT NULL;
    CREATE UNIQUE INDEX requests_idempotent ON requests (session, idempotency_key)
      WHERE idempotency_key IS NOT NULL;

    CREATE TABLE events (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      session TEXT NOT NULL,
      request_id TEXT NOT NULL,
      state TEXT NOT NULL,
      last_return_at INTEGER,
      last_return_code TEXT,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX events_of_session ON events (session, sequence);
    """,
    // 2. A lifetime over 24 h is cut, and the record says so.
    """
    ALTER TABLE requests ADD COLUMN lifetime_cut INTEGER NOT NULL DEFAULT 0;
    """,
  ]
}
