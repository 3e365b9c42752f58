import EventLoop
import FoundationEssentials
import Glibc

/// The ledger's file in a locked state directory: made, opened, checked, or set aside.
struct LedgerFile: Sendable {
  let directory: String

  static let name = "ledger.db"
  /// SQLite's write-ahead log and its index. They belong to the file and share its fate.
  static let sideNames = ["-wal", "-shm"]

  var path: String { directory + "/" + Self.name }

  /// An open ledger, and what a person should know about how it was opened.
  struct Opened: Sendable {
    let ledger: Ledger
    /// Where a damaged database was moved, and why; `nil` where there was none, and where one was said
    /// to be told of (`resetIsTold`).
    let reset: String?
    let warnings: [String]
    /// Why it cannot be written yet, and only a copy is open; `nil` where all is well.
    var obstacle: LedgerError?
  }

  /// Opens the ledger, on an empty database where the old one is damaged. Waits for the disk.
  ///
  /// - Parameter spare: a place on another disk, for a copy to read from where this disk takes
  ///   nothing.
  /// - Throws: `STATE_UNAVAILABLE` (a full disk, a newer version's file), `STATE_FOLDER_UNSUITABLE`.
  func open(orCopyIn spare: LedgerCopy? = nil) throws(StartFailure) -> Opened {
    do throws(LedgerError) {
      let opened = try openOrReset()
      // Of a process that was killed while it could read nothing else.
      spare?.remove()
      return opened
    } catch {
      if let spare, let copy = open(spare, because: error) { return copy }
      guard case .unsuitable = error else {
        throw StartFailure(.stateUnavailable, "\(path): \(error.sentence)")
      }
      throw StartFailure(
        .stateFolderUnsuitable, "\(directory): \(error.sentence); use a local disk (--state-dir)")
    }
  }

  /// Opens a copy, which is gone when the database itself can be used (`Ledger`).
  ///
  /// - Returns: `nil` where that is not the fault, where there is no database, or no sound one.
  private func open(_ copy: LedgerCopy, because fault: LedgerError) -> Opened? {
    switch fault {
    case .full, .readOnly: break
    case .damaged, .newerVersion, .unsuitable, .failed: return nil
    }
    do {
      guard try Files.status(of: path, followsLink: false).size > 0 else { return nil }
      var warnings: [String] = []
      let connection = try copy.make(of: self).connect(&warnings)
      let ledger = try Ledger(
        connection: connection, directory: directory, obstacle: fault, copy: copy)
      return Opened(ledger: ledger, reset: nil, warnings: [], obstacle: fault)
    } catch {
      copy.remove()
      return nil
    }
  }

  private func openOrReset() throws(LedgerError) -> Opened {
    // Side files without their database are a crash between two renames of `setAside`, and
    // must not become part of a new one.
    var damage: String?
    if !exists(path), Self.sideNames.contains(where: { exists(path + $0) }) {
      damage = "side files without a database"
      try setAside()
    }
    do {
      return try openChecked(after: damage)
    } catch {
      guard case .damaged(let text) = error else { throw error }
      damage = text
      try setAside()
    }
    return try openChecked(after: damage)
  }

  private func openChecked(after damage: String?) throws(LedgerError) -> Opened {
    var warnings: [String] = []
    let connection = try connect(&warnings)
    do {
      return Opened(
        ledger: try Ledger(connection: connection, directory: directory),
        reset: reset(after: damage), warnings: warnings)
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

  /// SQLite gives side files the mode of the database: so that is 0600 before there are any. And it
  /// waits for ever for a pipe in the place of one of them.
  private func makePrivate() throws(LedgerError) {
    do throws(SystemError) {
      try Self.claim(
        Files.open(path, .read, create: .ifMissing(mode: 0o600), followsLink: false))
      for name in Self.sideNames + ["-journal"] where exists(path + name) {
        try Self.claim(Files.open(path + name, .read, followsLink: false))
      }
    } catch {
      throw LedgerError(error)
    }
  }

  private static func claim(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    try file.checkIsRegular()
    try file.setMode(0o600)
  }

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
