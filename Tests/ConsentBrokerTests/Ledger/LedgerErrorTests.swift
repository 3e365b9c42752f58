import CSQLite
import Glibc
import Testing

@testable import ConsentBroker

@Suite struct LedgerErrorTests {
  /// An extended result code, the `errno` behind it, and what it means for the daemon.
  @Test(arguments: [
    (SQLITE_FULL, 0, "full"), (SQLITE_IOERR | (3 << 8), ENOSPC, "full"),
    (SQLITE_IOERR, EDQUOT, "full"), (SQLITE_READONLY, 0, "readOnly"),
    (SQLITE_READONLY | (4 << 8), 0, "readOnly"), (SQLITE_CANTOPEN, EACCES, "readOnly"),
    (SQLITE_IOERR, EROFS, "readOnly"), (SQLITE_CORRUPT, 0, "damaged"),
    (SQLITE_CORRUPT | (1 << 8), 0, "damaged"), (SQLITE_NOTADB, 0, "damaged"),
    (SQLITE_PROTOCOL, 0, "unsuitable"), (SQLITE_IOERR, ENOLCK, "unsuitable"),
    (SQLITE_BUSY, 0, "failed"), (SQLITE_IOERR, EIO, "failed"), (SQLITE_CONSTRAINT, 0, "failed"),
  ])
  func codesMean(_ code: CInt, _ systemError: CInt, _ expected: String) {
    let error = LedgerError(code: code, text: "text", systemError: systemError)
    let word =
      switch error {
      case .full: "full"
      case .readOnly: "readOnly"
      case .damaged: "damaged"
      case .newerVersion: "newerVersion"
      case .unsuitable: "unsuitable"
      case .failed: "failed"
      }
    #expect(word == expected)
    #expect(error.sentence.contains("text"))
  }

  @Test func aFileSystemWithoutAWriteAheadLogIsAWarning() throws {
    // A database in memory answers as such a file system does: with another mode.
    let connection = try SQLiteConnection(path: ":memory:")
    let warnings = try LedgerSchema.configure(connection, directory: "/state")
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("/state") == true)
    let mode = try connection.query("PRAGMA synchronous") { $0.integer(0) }
    #expect(mode == [2])
  }

  @Test func aWriteAheadLogIsNoWarningAndIsFullySynchronous() throws {
    let directory = try TemporaryDirectory()
    let connection = try SQLiteConnection(path: directory.path + "/ledger.db")
    #expect(try LedgerSchema.configure(connection, directory: directory.path) == [])
    #expect(try connection.query("PRAGMA synchronous") { $0.integer(0) } == [2])
    #expect(try connection.query("PRAGMA journal_size_limit") { $0.integer(0) } == [1 << 20])
  }
}
