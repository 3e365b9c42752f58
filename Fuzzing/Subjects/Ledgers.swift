import CSQLite
import EventLoop
import FoundationEssentials
import Glibc

@testable import ConsentBroker

extension Subject {
  /// A ledger's files, damaged: opened, set aside, or refused with a sentence. Where SQLite has
  /// checksums (its log), and where only an end is missing, no row is read that was never written.
  ///
  /// The first byte says which file is touched and how; the others are edits.
  static let ledger = Subject(name: "ledger", longest: 64, words: []) { bytes throws(Finding) in
    guard let how = bytes.first else { return }
    do {
      let folder = try ScratchFolder()
      var sample = try SampleLedger.shared.get()
      let isCertain: Bool
      switch how % 4 {
      case 0:
        Damage.apply(bytes.dropFirst(), to: &sample.database)
        isCertain = false
      case 1:
        sample.database.removeLast(cut(bytes, of: sample.database.count))
        sample.log = []
        isCertain = true
      case 2:
        Damage.apply(bytes.dropFirst(), to: &sample.log)
        isCertain = true
      default:
        sample.log.removeLast(cut(bytes, of: sample.log.count))
        isCertain = true
      }
      try sample.write(into: folder.path)
      try check(folder.path, sample, isCertain: isCertain)
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding(description: "the harness itself failed: \(error)")
    }
  }

  private static func cut(_ bytes: [UInt8], of count: Int) -> Int {
    let number = bytes.dropFirst().prefix(3).reduce(0) { $0 << 8 | Int($1) }
    return number % (count + 1)
  }

  private static func check(
    _ folder: String, _ sample: SampleLedger, isCertain: Bool
  ) throws {
    let reset: String?
    do throws(StartFailure) {
      reset = try LedgerFile(directory: folder).open().reset
    } catch {
      try require(
        [.stateUnavailable, .stateFolderUnsuitable].contains(error.word)
          && error.sentence.utf8.starts(with: folder.utf8), "an untold refusal: \(error)")
      return
    }
    let rows = try readRows(folder)
    if reset != nil {
      try require(rows?.isEmpty == true, "rows in a new database: \(String(describing: rows))")
      try checkSetAside(folder, sample)
      return
    }
    guard let rows else { return }
    try require(rows.count <= SampleLedger.count, "more rows than were written")
    guard isCertain else { return }
    for row in rows {
      let isKnown = try SampleLedger.shared.get().everWritten.contains(row)
      try require(isKnown, "a row that was never written: \(row)")
    }
  }

  /// What was set aside is what was there, byte for byte: a person may mend it.
  private static func checkSetAside(_ folder: String, _ sample: SampleLedger) throws {
    let aside = try Files.names(in: folder).filter { $0.contains(".corrupt-") }
    let name = aside.first { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    let kept = try name.map { try Files.read("\(folder)/\($0)", limit: 1 << 22) }
    try require(kept == sample.database, "what was set aside is another file")
  }

  /// - Returns: `nil` where reading says that the file is damaged.
  private static func readRows(_ folder: String) throws -> [RequestRow]? {
    do throws(LedgerError) {
      let connection = try SQLiteConnection(path: "\(folder)/\(LedgerFile.name)")
      return try connection.query("SELECT \(RequestRow.columns) FROM requests ORDER BY number") {
        row throws(LedgerError) in try RequestRow(row)
      }
    } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
  }
}

/// A ledger of a few requests: the first half of its writes in the database, the rest in the log.
private struct SampleLedger: Sendable {
  static let count = 12
  static let shared = Result { try SampleLedger() }

  var database: [UInt8]
  var log: [UInt8]
  /// Every state that a row was ever in.
  private(set) var everWritten: [RequestRow] = []

  private init() throws {
    let folder = try ScratchFolder()
    let path = "\(folder.path)/\(LedgerFile.name)"
    // Opened as the daemon does, so that it is the daemon's schema.
    _ = try LedgerFile(directory: folder.path).open()
    let connection = try SQLiteConnection(path: path)
    connection.keepLogOnClose(true)
    var rows: [RequestRow] = []
    for index in 0..<Self.count {
      if index == Self.count / 2 { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      let number = try RequestTable.insert(Self.row(index), on: connection)
      rows += try RequestTable.find(number: number, on: connection).map { [$0] } ?? []
      let ending = RequestEnding(
        state: index % 2 == 0 ? .approved : .declined, at: Self.time.addingTimeInterval(60))
      rows += try RequestTable.finish(number, ending, on: connection).map { [$0.row] } ?? []
    }
    everWritten = rows
    database = try Files.read(path, limit: 1 << 22)
    log = try Files.read(path + "-wal", limit: 1 << 22)
  }

  private static let time = Date(timeIntervalSince1970: 1_796_000_000)

  private static func row(_ index: Int) -> RequestRow {
    RequestRow(
      session: "s_\(index % 3)", requestId: "rq-\(index)", ticket: "ticket-\(index)",
      kind: "createOrg", state: .started, code: "7QF2-XK",
      url: "https://node.example/consent/\(index)?\(String(repeating: "x", count: index * 90))",
      createdAt: time, expiresAt: time.addingTimeInterval(300))
  }

  func write(into folder: String) throws {
    let path = "\(folder)/\(LedgerFile.name)"
    for (suffix, bytes) in [("", database), ("-wal", log)] where suffix.isEmpty || !bytes.isEmpty {
      try Files.open(path + suffix, .write, create: .exclusive(mode: 0o600)).writeAll(bytes)
    }
  }
}

/// A folder in memory where there is one: nothing here is about a disk.
private struct ScratchFolder: ~Copyable {
  let path: String

  init() throws {
    let root = Files.isReadable("/dev/shm") ? "/dev/shm" : "/tmp"
    var template = Array("\(root)/fuzz-ledger-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
