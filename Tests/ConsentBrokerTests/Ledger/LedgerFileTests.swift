import EventLoop
import FoundationEssentials
import Glibc
import Testing

@testable import ConsentBroker

/// What a damaged database is damaged by (C-134).
enum Damage: String, CaseIterable, Sendable {
  case zeroedHeader, zeroedMiddlePage, cutToTenBytes, cutInTheMiddle, textFile, foreignTables
  case noTables

  func inflict(on path: String) throws {
    var bytes = try content(of: path)
    switch self {
    case .zeroedHeader: bytes.replaceSubrange(0..<100, with: repeatElement(0, count: 100))
    case .zeroedMiddlePage:
      let middle = bytes.count / 4096 / 2 * 4096
      bytes.replaceSubrange(middle..<(middle + 4096), with: repeatElement(0, count: 4096))
    case .cutToTenBytes: bytes = Array(bytes[..<10])
    case .cutInTheMiddle: bytes = Array(bytes[..<(bytes.count / 2)])
    case .textFile: bytes = Array("This is a text, and no database at all.\n".utf8)
    case .foreignTables, .noTables:
      try Files.unlink(path)
      let connection = try SQLiteConnection(path: path)
      try connection.execute(
        self == .noTables ? "PRAGMA user_version = 2" : "CREATE TABLE somebody (name TEXT)")
      return
    }
    let file = try Files.open(path, .write)
    try file.truncate(to: 0)
    try file.writeAll(bytes)
  }
}

@Suite struct LedgerFileTests {
  @Test func everythingIsPrivateWhateverTheUmaskAndWhateverWasThere() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/ledger.db"
    _ = try Files.open(path, .write, create: .ifMissing(mode: 0o644))
    try Files.open(path, .read).setMode(0o644)
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    try await ledger.insert(Sample.session())
    for name in try names(in: directory.path) {
      #expect(try mode(of: "\(directory.path)/\(name)") == 0o600, "\(name)")
    }
    #expect(try names(in: directory.path) == ["ledger.db", "ledger.db-shm", "ledger.db-wal"])
  }

  @Test(arguments: Damage.allCases)
  func aDamagedDatabaseIsSetAsideAndAnEmptyOneMade(_ damage: Damage) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/ledger.db"
    let file = LedgerFile(directory: directory.path)
    let before = try file.open().ledger
    for number in 1...50 { _ = try await before.started("rq-\(number)") }
    await before.close()
    try damage.inflict(on: path)
    let damaged = try content(of: path)

    let opened = try file.open()
    let reset = try #require(opened.reset)
    #expect(reset.contains("ledger.db.corrupt-"))
    #expect(try await opened.ledger.undecided() == [])
    _ = try await opened.ledger.started("rq-new")
    try file.resetIsTold()
    let aside = try #require(
      try names(in: directory.path).first { $0.hasPrefix("ledger.db.corrupt-") })
    // Moved, not copied, and not repaired.
    #expect(try content(of: "\(directory.path)/\(aside)") == damaged)
    await opened.ledger.close()
    let again = try file.open()
    #expect(again.reset == nil)
    #expect(try await again.ledger.undecided().map(\.requestId) == ["rq-new"])
  }

  @Test func sideFilesGoWithTheirDatabase() async throws {
    let directory = try TemporaryDirectory()
    try write("no database", to: directory.path + "/ledger.db")
    try write("a log", to: directory.path + "/ledger.db-wal")
    let file = LedgerFile(directory: directory.path)
    #expect(try file.open().reset != nil)
    try file.resetIsTold()
    let aside = try names(in: directory.path).filter { $0.contains(".corrupt-") }
    #expect(aside.count == 2)
    #expect(aside.last?.hasSuffix("-wal") == true)
  }

  @Test func aLogWithoutItsDatabaseDoesNotBecomePartOfANewOne() async throws {
    let directory = try TemporaryDirectory()
    let file = LedgerFile(directory: directory.path)
    let ledger = try file.open().ledger
    _ = try await ledger.started("rq-1")
    // As a crash between the two renames leaves it; the connection is still open.
    let path = directory.path + "/ledger.db"
    let log = try content(of: path + "-wal")
    await ledger.close()
    try Files.unlink(path)
    try write("", to: path + "-wal")
    try Files.open(path + "-wal", .write).writeAll(log)
    let opened = try file.open()
    #expect(opened.reset != nil)
    #expect(try await opened.ledger.undecided() == [])
  }

  @Test func notMoreThanThreeDamagedOnesAreKept() async throws {
    let directory = try TemporaryDirectory()
    for number in 1...5 {
      try write("damage \(number)", to: directory.path + "/ledger.db")
      let opened = try LedgerFile(directory: directory.path).open()
      #expect(opened.reset != nil)
      try LedgerFile(directory: directory.path).resetIsTold()
      await opened.ledger.close()
    }
    let aside = try names(in: directory.path).filter { $0.contains(".corrupt-") }
    #expect(aside.count == LedgerFile.damagedKept)
    let texts = try aside.map {
      String(decoding: try content(of: "\(directory.path)/\($0)"), as: UTF8.self)
    }
    #expect(texts == ["damage 3", "damage 4", "damage 5"])
  }

  @Test func whatWasSetAsideIsToldUntilItIsKnownToBeTold() async throws {
    let directory = try TemporaryDirectory()
    let file = LedgerFile(directory: directory.path)
    try write("no database", to: file.path)
    // A crash right after the move.
    try file.setAside()
    for _ in 0..<2 {
      let opened = try file.open()
      #expect(opened.reset?.contains(directory.path + "/ledger.db.corrupt-") == true)
      await opened.ledger.close()
    }
    try file.resetIsTold()
    #expect(try file.open().reset == nil)
    let aside = try #require(
      try names(in: directory.path).first { $0.hasPrefix("ledger.db.corrupt-") })
    #expect(try content(of: "\(directory.path)/\(aside)") == Array("no database".utf8))
  }

  @Test func aNewerVersionsDatabaseIsLeftAlone() async throws {
    let directory = try TemporaryDirectory()
    let file = LedgerFile(directory: directory.path)
    await (try file.open().ledger).close()
    do {
      let connection = try SQLiteConnection(path: directory.path + "/ledger.db")
      try connection.execute("PRAGMA user_version = \(LedgerSchema.version + 1)")
    }
    let failure = #expect(throws: StartFailure.self) { try file.open() }
    #expect(failure?.word == .stateUnavailable)
    #expect(failure?.sentence.contains("newer version") == true)
    #expect(try names(in: directory.path).filter { $0.contains("corrupt") } == [])
  }

  @Test func migratesFromTheSnapshotOfVersionOne() async throws {
    let directory = try TemporaryDirectory()
    do {
      let connection = try SQLiteConnection(path: directory.path + "/ledger.db")
      try connection.execute(versionOne)
    }
    let opened = try LedgerFile(directory: directory.path).open()
    #expect(opened.reset == nil)
    let row = try #require(try await opened.ledger.request("rq-1", of: "s_one"))
    #expect(row.state == .started)
    #expect(row.lifetimeCut == false)
    #expect(row.idempotency == Idempotency(key: "k", body: [0xab]))
    #expect(try await opened.ledger.openSessions().map(\.id) == ["s_one"])
    #expect(try await opened.ledger.events(of: "s_one", after: 0, limit: 9).map(\.sequence) == [41])
    #expect(try await opened.ledger.started("rq-2").number == 8)
    #expect(try await opened.ledger.lastSequence() == 42)
  }

  @Test func theLogShrinksAfterAReaderThatHeldItOpen() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/ledger.db"
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    let row = try await ledger.started("rq-1")
    do {
      let reader = try SQLiteConnection(path: path)
      try reader.execute("BEGIN")
      _ = try reader.query("SELECT count(*) FROM requests") { $0.integer(0) }
      for number in 0..<500 { try await change(row, in: ledger, to: number) }
      #expect(try Files.status(of: path + "-wal").size > 4 << 20)
      try reader.execute("COMMIT")
    }
    for number in 0..<100 { try await change(row, in: ledger, to: number) }
    #expect(try Files.status(of: path + "-wal").size <= 4 << 20)
  }

  /// Writes about three pages: SQLite writes none where the bytes stay the same.
  private func change(_ row: RequestRow, in ledger: Ledger, to number: Int) async throws {
    try await ledger.write { connection throws(LedgerError) in
      try connection.run(
        "UPDATE requests SET detail = ? WHERE number = ?",
        [.text(String(repeating: "\(number) ", count: 2000)), .integer(row.number)])
    }
  }
}

/// A database as version 1 left it, closed in good order.
private let versionOne = """
  CREATE TABLE sessions (id TEXT PRIMARY KEY NOT NULL, key_hash BLOB NOT NULL,
    package TEXT NOT NULL, account TEXT, node_url TEXT NOT NULL, trust TEXT NOT NULL,
    origins TEXT NOT NULL, return_to TEXT, created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL, ended_at INTEGER) STRICT;
  CREATE INDEX sessions_open ON sessions (id) WHERE ended_at IS NULL;
  CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE requests (number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL,
    request_id TEXT NOT NULL, ticket TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    state TEXT NOT NULL, revision INTEGER NOT NULL, code TEXT, url TEXT,
    created_at INTEGER NOT NULL, expires_at INTEGER, finished_at INTEGER, outcome TEXT,
    failure TEXT, detail TEXT, last_return_at INTEGER, last_return_code TEXT,
    idempotency_key TEXT, idempotency_body BLOB, UNIQUE (session, request_id)) STRICT;
  CREATE INDEX requests_listed ON requests (session, number);
  CREATE INDEX requests_by_state ON requests (session, state, number);
  CREATE INDEX requests_by_id ON requests (request_id);
  CREATE INDEX requests_undecided ON requests (number) WHERE finished_at IS NULL;
  CREATE INDEX requests_finished ON requests (finished_at) WHERE finished_at IS NOT NULL;
  CREATE UNIQUE INDEX requests_idempotent ON requests (session, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
  CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL,
    request_id TEXT NOT NULL, state TEXT NOT NULL, last_return_at INTEGER,
    last_return_code TEXT, at INTEGER NOT NULL) STRICT;
  CREATE INDEX events_of_session ON events (session, sequence);
  INSERT INTO sessions VALUES ('s_one', x'07', 'com.example.notes', NULL, 'https://node.example',
    '{"development":true}', '', NULL, 1796000000000, 1796000000000, NULL);
  INSERT INTO requests VALUES (7, 's_one', 'rq-1', 't1', 'createOrg', 'started', 2, 'ABCD-EF',
    'https://node.example/consent/rq-1', 1796000000000, 1796000300000, NULL, NULL, NULL, NULL,
    NULL, NULL, 'k', x'ab');
  INSERT INTO events VALUES (41, 's_one', 'rq-1', 'started', NULL, NULL, 1796000000000);
  PRAGMA user_version = 1;
  """
