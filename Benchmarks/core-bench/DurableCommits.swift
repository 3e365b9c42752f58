import CSQLite
import Glibc

/// What a ledger rests on and cannot beat: one row a commit, on the disk when it returns.
struct DurableCommits: ~Copyable {
  private let database: OpaquePointer
  private let insert: OpaquePointer

  /// - Returns: `nil` where SQLite refuses.
  init?(in folder: String) {
    var opened: OpaquePointer?
    guard sqlite3_open(folder + "/commits.sqlite", &opened) == SQLITE_OK, let opened else {
      return nil
    }
    var prepared: OpaquePointer?
    let schema = """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE rows (number INTEGER PRIMARY KEY, session TEXT, text TEXT) STRICT;
      """
    guard sqlite3_exec(opened, schema, nil, nil, nil) == SQLITE_OK,
      sqlite3_prepare_v2(
        opened, "INSERT INTO rows (session, text) VALUES ('s_0123456789', hex(randomblob(100)))",
        -1, &prepared, nil) == SQLITE_OK, let prepared
    else {
      sqlite3_close(opened)
      return nil
    }
    database = opened
    insert = prepared
  }

  deinit {
    sqlite3_finalize(insert)
    sqlite3_close(database)
  }

  /// In wall time: a commit waits for the disk.
  borrowing func perSecond(for seconds: Double) -> Double? {
    var count = 0
    let start = wallTime()
    while wallTime() - start < seconds {
      guard sqlite3_step(insert) == SQLITE_DONE, sqlite3_reset(insert) == SQLITE_OK else {
        return nil
      }
      count += 1
    }
    return Double(count) / (wallTime() - start)
  }
}
