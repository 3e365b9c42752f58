import CSQLite

/// The one owner of one database connection; closed with it.
///
/// Opened without SQLite's own mutex: one thread at a time, which the actor that holds it grants.
struct SQLiteConnection: ~Copyable, @unchecked Sendable {
  // @unchecked: SQLite's multi-thread mode lets a connection move between threads as long as no
  // two use it at once, and the cache of statements, which calls that only borrow this value
  // change too, asks for the same. The value cannot be copied; whoever opens it is alone with it
  // until it is consumed by the ledger, an actor that holds it in a private variable and lends it
  // to one call at a time. Neither handle nor statement leaves a call.
  private var handle: OpaquePointer?
  private let statements = StatementCache()

  /// - Parameter path: an absolute path; the file is made where it is missing.
  init(path: String) throws(LedgerError) {
    var opened: OpaquePointer?
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      | SQLITE_OPEN_PRIVATECACHE
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    handle = opened
    // "Whether or not an error occurs when it is opened, resources associated with the database
    // connection handle should be released": `deinit` does, also after this throw.
    guard code == SQLITE_OK else { throw error(code) }
    sqlite3_busy_timeout(opened, Self.busyMilliseconds)
  }

  deinit {
    statements.removeAll()
    sqlite3_close(handle)
  }

  /// How long a lock of another program (a person's `sqlite3`) is waited for.
  private static let busyMilliseconds: CInt = 3000

  /// Whether the last close leaves the write-ahead log as it is, for a database that nobody
  /// trusts yet.
  borrowing func keepLogOnClose(_ keep: Bool) {
    _ = csqlite_keep_log_on_close(handle, keep ? 1 : 0)
  }

  /// Ends the use of the file: the log is written back and removed.
  mutating func close() {
    statements.removeAll()
    sqlite3_close(handle)
    handle = nil
  }

  /// Runs statements that answer nothing and take no values.
  borrowing func execute(_ sql: String) throws(LedgerError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Runs one statement to its end. Compiled once for each text, so a text must not hold a value
  /// that differs from call to call.
  ///
  /// - Returns: how many rows it changed.
  @discardableResult
  borrowing func run(_ sql: String, _ values: [SQLValue] = []) throws(LedgerError) -> Int {
    var statement = try prepare(sql, values)
    while try statement.step() {}
    return Int(sqlite3_changes64(handle))
  }

  /// Runs one statement and reads each row. The read ends with the call.
  ///
  /// - Parameter once: whether it is not run again, so that nothing of it is kept.
  borrowing func query<R>(
    _ sql: String, _ values: [SQLValue] = [], once: Bool = false,
    row: (borrowing SQLiteStatement) throws(LedgerError) -> R
  ) throws(LedgerError) -> [R] {
    var statement = try prepare(sql, values, once: once)
    var rows: [R] = []
    while try statement.step() { rows.append(try row(statement)) }
    return rows
  }

  /// How many compiled statements are kept. For tests.
  borrowing func statementsKept() -> Int { statements.count }

  /// The row that the last INSERT made.
  borrowing func lastInsertedRow() -> Int64 { sqlite3_last_insert_rowid(handle) }

  /// Whether a transaction is open. SQLite ends one by itself after some errors.
  borrowing func isInTransaction() -> Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

  private borrowing func prepare(
    _ sql: String, _ values: [SQLValue], once: Bool = false
  ) throws(LedgerError) -> SQLiteStatement {
    guard let handle else { throw .failed("the database is closed") }
    let prepared =
      once
      ? try compile(sql, isKept: false)
      : try statements.take(sql) { isKept throws(LedgerError) in
        try compile(sql, isKept: isKept)
      }
    var statement = SQLiteStatement(running: prepared, of: handle)
    try statement.bind(values)
    return statement
  }

  private borrowing func compile(
    _ sql: String, isKept: Bool
  ) throws(LedgerError) -> PreparedStatement {
    var compiled: OpaquePointer?
    let flags = isKept ? CUnsignedInt(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(handle, sql, -1, flags, &compiled, nil)
    guard code == SQLITE_OK, let compiled else { throw error(code) }
    return PreparedStatement(owning: compiled)
  }

  private borrowing func error(_ code: CInt) -> LedgerError {
    LedgerError(sqlite: code, on: handle)
  }
}

extension LedgerError {
  /// What a call on `connection` that answered `code` means.
  init(sqlite code: CInt, on connection: OpaquePointer?) {
    guard let connection else {
      self.init(code: code, text: String(cString: sqlite3_errstr(code)), systemError: 0)
      return
    }
    let isSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff)
    self.init(
      code: code, text: String(cString: sqlite3_errmsg(connection)),
      systemError: isSystem ? sqlite3_system_errno(connection) : 0)
  }
}
