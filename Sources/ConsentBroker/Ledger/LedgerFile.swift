import EventLoop
import FoundationEssentials
import Glibc

/// The ledger's file in a locked state directory: made, opened, checked, or set aside.
struct LedgerFile: Sendable {
  let directory: String

  static let name = "ledger.db"
  /// SQLite's write-ahead log and its index. They belong to the file and share its fate.
  static let sideNames = ["-wal", "-shm"]
  /// How many damaged databases are kept. Each may be as large as 30 days of requests.
  static let damagedKept = 3

  var path: String { directory + "/" + Self.name }

  /// An open ledger, and what a person should know about how it was opened.
  struct Opened: Sendable {
    let ledger: Ledger
    /// Where a damaged database was moved, and why; `nil` where there was none.
    let reset: String?
    let warnings: [String]
    /// Why it cannot be written yet, and only a copy is open; `nil` where all is well.
    var obstacle: LedgerError?
  }

  /// Opens the ledger, on an empty database where the old one is damaged. Waits for the disk.
  ///
  /// - Parameter spare: a directory on another disk, for a copy to read from where this disk takes
  ///   nothing.
  /// - Throws: `STATE_UNAVAILABLE` (a full disk, a newer version's file), `STATE_FOLDER_UNSUITABLE`.
  func open(orCopyIn spare: String? = nil) throws(StartFailure) -> Opened {
    do throws(LedgerError) {
      let opened = try openOrReset()
      // Of a process that was killed while it could read nothing else.
      if let spare { LedgerFile(directory: spare).removeCopy() }
      return opened
    } catch {
      if let spare, let copy = openCopy(in: spare, because: error) { return copy }
      guard case .unsuitable = error else {
        throw StartFailure(.stateUnavailable, "\(path): \(error.sentence)")
      }
      throw StartFailure(
        .stateFolderUnsuitable, "\(directory): \(error.sentence); use a local disk (--state-dir)")
    }
  }

  private func openOrReset() throws(LedgerError) -> Opened {
    // Side files without their database are a crash between two renames of `setAside`, and
    // must not become part of a new one.
    let orphaned = !exists(path) && Self.sideNames.contains { exists(path + $0) }
    var reset = orphaned ? try setAside(because: "side files without a database") : nil
    do {
      let (ledger, warnings) = try openChecked()
      return Opened(ledger: ledger, reset: reset, warnings: warnings)
    } catch {
      guard case .damaged(let text) = error else { throw error }
      reset = try setAside(because: text)
    }
    let (ledger, warnings) = try openChecked()
    return Opened(ledger: ledger, reset: reset, warnings: warnings)
  }

  private func openChecked() throws(LedgerError) -> (Ledger, [String]) {
    var warnings: [String] = []
    let connection = try connect(&warnings)
    do {
      return (try Ledger(connection: connection, directory: directory), warnings)
    } catch {
      throw .failed("\(error)")
    }
  }

  /// A database that can be used, and what a person should know about it.
  func connect(_ warnings: inout [String]) throws(LedgerError) -> SQLiteConnection {
    try makePrivate()
    try checkHeader()
    let connection = try SQLiteConnection(path: path)
    connection.keepLogOnClose(true)
    // Nothing of the file is believed, and nothing written, before this: it reads every page.
    let verdict = try connection.query("PRAGMA quick_check(1)", once: true) {
      row throws(LedgerError) in try row.text(0)
    }
    guard verdict == ["ok"] else {
      try checkReadable()
      throw .damaged(verdict.first ?? "quick_check says nothing")
    }
    try LedgerSchema.check(connection)
    connection.keepLogOnClose(false)
    warnings += try LedgerSchema.configure(connection, directory: directory)
    try LedgerSchema.migrate(connection)
    return connection
  }

  /// SQLite takes a file that is too short for an empty database, and removes the log beside it.
  private func checkHeader() throws(LedgerError) {
    let start: [UInt8]
    do throws(SystemError) {
      start = try Files.start(of: path, count: Self.magic.count)
    } catch {
      throw LedgerError(error)
    }
    if start.isEmpty {
      let log = try? Files.status(of: path + Self.sideNames[0])
      guard (log?.size ?? 0) == 0 else { throw .damaged("empty, with a log") }
      return
    }
    guard start == Self.magic else { throw .damaged("not a database") }
  }

  /// "Every valid SQLite database file begins with the following 16 bytes."
  private static let magic = Array("SQLite format 3\0".utf8)

  /// The check says of a page that cannot be read that it is broken. Where the disk, or memory, is at
  /// fault, that may pass, and the database is not to be set aside.
  private func checkReadable() throws(LedgerError) {
    for suffix in ["", Self.sideNames[0]] where exists(path + suffix) {
      do throws(SystemError) {
        try Files.open(path + suffix, .read).readThrough()
      } catch {
        throw LedgerError(error)
      }
    }
  }

  /// SQLite gives side files the mode of the database: so that is 0600 before there are any.
  private func makePrivate() throws(LedgerError) {
    do throws(SystemError) {
      try Files.open(path, .read, create: .ifMissing(mode: 0o600), followsLink: false)
        .setMode(0o600)
      for name in Self.sideNames where exists(path + name) {
        try Files.open(path + name, .read, followsLink: false).setMode(0o600)
      }
    } catch {
      throw LedgerError(error)
    }
  }

  // MARK: Setting aside

  /// Moves the database and its side files to a dated name. Nothing of it is deleted, but of
  /// such copies the oldest beyond `damagedKept` are.
  ///
  /// - Returns: a sentence that says where it is now, and why.
  private func setAside(because reason: String) throws(LedgerError) -> String {
    let aside = "\(Self.name).corrupt-\(Self.stamp(of: .now))"
    do throws(SystemError) {
      // The database first: what a crash leaves behind is then found by `openOrReset`.
      for suffix in [""] + Self.sideNames where exists(path + suffix) {
        try Files.rename(path + suffix, to: "\(directory)/\(aside)\(suffix)")
      }
      try Files.syncDirectory(directory)
      try forgetOldest()
    } catch {
      throw LedgerError(error)
    }
    return "the database was damaged (\(reason)); it was moved to \(directory)/\(aside) "
      + "and an empty one was made"
  }

  private func forgetOldest() throws(SystemError) {
    let prefix = "\(Self.name).corrupt-"
    let names = try Files.names(in: directory).filter { $0.hasPrefix(prefix) }
    let stamps = Set(names.map { $0.dropFirst(prefix.count).prefix(Self.stampLength) }).sorted()
    for stamp in stamps.dropLast(Self.damagedKept) {
      for name in names where name.dropFirst(prefix.count).hasPrefix(stamp) {
        try Files.unlink("\(directory)/\(name)")
      }
    }
  }

  /// `20261201T100000.123Z`: sorts by time, and needs no quoting in a shell.
  static func stamp(of date: Date) -> String {
    let milliseconds = date.ledgerTime
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func digits(_ number: some BinaryInteger, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
      + "T" + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "."
      + digits(milliseconds % 1000, 3) + "Z"
  }

  private static let stampLength = 20

  func exists(_ path: String) -> Bool {
    (try? Files.status(of: path, followsLink: false)) != nil
  }
}

extension LedgerError {
  init(_ error: SystemError) {
    let text = "\(error)"
    switch error.code {
    case ENOSPC, EDQUOT, EFBIG: self = .full("ENOSPC: \(text)")
    case EROFS, EACCES, EPERM: self = .readOnly(text)
    default: self = .failed(text)
    }
  }
}

extension OwnedDescriptor {
  /// Reads to the end, and keeps nothing of it.
  fileprivate borrowing func readThrough() throws(SystemError) {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var count = 0
    repeat {
      count = withNumber { read($0, &chunk, chunk.count) }
      if count < 0, errno != EINTR { throw SystemError(call: "read", code: errno) }
    } while count != 0
  }
}
