import CSQLite

/// The one owner of one compiled statement, finalized with it.
final class PreparedStatement {
  let handle: OpaquePointer
  /// Whether a `SQLiteStatement` runs it now.
  fileprivate(set) var isInUse = false

  /// - Precondition: nobody else finalizes `handle`.
  init(owning handle: OpaquePointer) { self.handle = handle }

  // Its answer is that of the last step, which was thrown there.
  deinit { sqlite3_finalize(handle) }

  /// Ends a run, however it went: no lock is held, and no value that was bound stays in memory.
  func rest() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    isInUse = false
  }
}

/// Statements that were compiled once and are run again and again, by their texts.
///
/// Belongs to one connection, and is used where that is: by one thread at a time. Values are never
/// part of a text, so a program has few; whatever is more than `most` is compiled each time.
final class StatementCache {
  /// More than the ledger has. Each takes a few KiB.
  static let most = 48

  private var known: [String: PreparedStatement] = [:]

  var count: Int { known.count }

  /// The statement of that text, for one run, which ends with `rest()`. A text whose statement is
  /// running, as where a row is read inside a row, is compiled once more.
  ///
  /// - Parameter compile: makes it; told whether it will be kept.
  func take(
    _ sql: String, compile: (_ isKept: Bool) throws(LedgerError) -> PreparedStatement
  ) throws(LedgerError) -> PreparedStatement {
    if let statement = known[sql] {
      guard statement.isInUse else {
        statement.isInUse = true
        return statement
      }
      return try compile(false)
    }
    guard known.count < Self.most else { return try compile(false) }
    let statement = try compile(true)
    statement.isInUse = true
    known[sql] = statement
    return statement
  }

  /// Before the connection is closed: SQLite closes none that has statements.
  func removeAll() { known.removeAll() }
}
