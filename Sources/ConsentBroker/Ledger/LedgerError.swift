import CSQLite
import Glibc

/// Why the ledger could not do what it was asked. The text is SQLite's, and never holds a value.
package enum LedgerError: Error, Equatable, Sendable {
  /// No space left: nothing was written, and a later try may succeed.
  case full(String)
  /// The file or its folder cannot be written.
  case readOnly(String)
  /// The file is not a database, or a broken one.
  case damaged(String)
  /// Written by a newer version of the daemon, which has to read it.
  case newerVersion(Int)
  /// The file system does not lock as a database needs it (some network file systems).
  case unsuitable(String)
  /// Closed, or the disk failed, or another program holds a lock for too long.
  case failed(String)

  /// For a person: what is wrong with the state directory.
  package var sentence: String {
    switch self {
    case .full(let text): "the disk is full (\(text))"
    case .readOnly(let text): "the state directory cannot be written (\(text))"
    case .damaged(let text): "the database is damaged (\(text))"
    case .newerVersion(let version):
      "the database was written by a newer version (schema \(version), "
        + "this one knows \(LedgerSchema.version))"
    case .unsuitable(let text): "the file system does not lock files as needed (\(text))"
    case .failed(let text): "the database failed (\(text))"
    }
  }
}

extension LedgerError {
  /// - Parameters:
  ///   - code: an extended result code of SQLite.
  ///   - text: SQLite's message.
  ///   - systemError: the `errno` behind an I/O error, 0 where there is none.
  init(code: CInt, text: String, systemError: CInt) {
    switch (code & 0xff, systemError) {
    // EFBIG: over the limit of a file's size (setrlimit).
    case (SQLITE_FULL, _), (_, ENOSPC), (_, EDQUOT), (_, EFBIG):
      self = .full("ENOSPC: \(text)")
    case (SQLITE_READONLY, _), (_, EROFS), (_, EACCES), (_, EPERM):
      self = .readOnly(text)
    case (SQLITE_CORRUPT, _), (SQLITE_NOTADB, _):
      self = .damaged(text)
    case (SQLITE_PROTOCOL, _), (_, ENOLCK):
      self = .unsuitable(text)
    default:
      let cause = systemError == 0 ? "" : ": \(String(cString: strerror(systemError)))"
      self = .failed("\(text), code \(code)\(cause)")
    }
  }
}
