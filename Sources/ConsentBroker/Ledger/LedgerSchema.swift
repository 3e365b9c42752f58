/// The shape of the database, a step at a time. `PRAGMA user_version` is how many were done.
///
/// A step that was released is never edited: add another.
enum LedgerSchema {
  static var version: Int { steps.count }

  /// Judges a database by what it says of itself, before anything is written to it.
  ///
  /// - Throws: `.newerVersion` where a newer daemon has been here; `.damaged` for tables that
  ///   are not a ledger's.
  static func check(_ connection: borrowing SQLiteConnection) throws(LedgerError) {
    let found = try foundVersion(connection)
    guard found <= version else { throw .newerVersion(found) }
    let tables = try connection.query(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      once: true
    ) { row throws(LedgerError) in try row.text(0) }
    guard found > 0 else {
      guard tables.isEmpty else { throw .damaged("tables without a schema version") }
      return
    }
    guard Set(tables).isSuperset(of: ["sessions", "requests", "events"]) else {
      throw .damaged("tables are missing")
    }
  }

  /// Brings a checked database to this version, in one transaction.
  static func migrate(_ connection: borrowing SQLiteConnection) throws(LedgerError) {
    let found = try foundVersion(connection)
    guard found < version else { return }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      for step in steps[found...] { try connection.execute(step) }
      try connection.execute("PRAGMA user_version = \(version)")
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction() { try connection.execute("ROLLBACK") }
      throw error
    }
  }

  private static func foundVersion(
    _ connection: borrowing SQLiteConnection
  ) throws(LedgerError) -> Int {
    try connection.query("PRAGMA user_version", once: true) { row in
      Int(row.integer(0))
    }.first ?? 0
  }

  /// How the file is used, for as long as it is open.
  ///
  /// - Returns: warnings.
  static func configure(
    _ connection: borrowing SQLiteConnection, directory: String
  ) throws(LedgerError) -> [String] {
    let mode = try connection.query("PRAGMA journal_mode = WAL", once: true) {
      row throws(LedgerError) in try row.text(0)
    }
    // FULL: a commit returns when it is on the disk, also in WAL mode. The log is written back
    // every 256 pages (1 MiB) and cut to 1 MiB after a reader of another program let it grow.
    try connection.execute(
      """
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 256;
      PRAGMA cache_size = -512;
      PRAGMA temp_store = MEMORY;
      PRAGMA trusted_schema = OFF;
      PRAGMA cell_size_check = ON;
      PRAGMA journal_size_limit = 1048576;
      """)
    guard mode == ["wal"] else {
      return ["the file system of \(directory) takes no write-ahead log; going on without one"]
    }
    return []
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
    // 3. Events are forgotten by their times, which a clock that was set takes out of order.
    """
    CREATE INDEX events_by_time ON events (at);
    """,
    // 4. When a request ends by its node's clock: this machine's may be another one meanwhile.
    """
    ALTER TABLE requests ADD COLUMN node_expires_at INTEGER;
    """,
    // 5. Seconds awake in which nothing was heard of a request that may be over.
    """
    ALTER TABLE requests ADD COLUMN unheard INTEGER NOT NULL DEFAULT 0;
    """,
  ]
}
