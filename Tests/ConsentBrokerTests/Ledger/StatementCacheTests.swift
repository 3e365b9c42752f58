import CSQLite
import Testing

@testable import ConsentBroker

@Suite struct StatementCacheTests {
  private func table() throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: ":memory:")
    try connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT UNIQUE)")
    return connection
  }

  @Test func aTextIsCompiledOnceAndItsValuesAreTheCallsOwn() throws {
    let connection = try table()
    for text in ["one", "two", "three"] {
      try connection.run("INSERT INTO rows (text) VALUES (?)", [.text(text)])
    }
    try connection.run("INSERT INTO rows (text) VALUES (?)", [.null])
    #expect(connection.statementsKept() == 1)
    let texts = try connection.query("SELECT text FROM rows ORDER BY number") {
      row throws(LedgerError) in try row.optionalText(0)
    }
    #expect(texts == ["one", "two", "three", nil])
  }

  @Test func anErrorLeavesTheStatementAsItWas() throws {
    let connection = try table()
    let insert = "INSERT INTO rows (text) VALUES (?)"
    try connection.run(insert, [.text("one")])
    #expect(throws: LedgerError.self) { try connection.run(insert, [.text("one")]) }
    try connection.run(insert, [.text("two")])
    #expect(try connection.query("SELECT count(*) FROM rows") { $0.integer(0) } == [2])
  }

  /// A statement that was left running would hold its lock, and no transaction could end.
  @Test func aReadThatIsGivenUpHoldsNothing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/ledger.db"
    let connection = try SQLiteConnection(path: path)
    try connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY)")
    for _ in 1...3 { try connection.run("INSERT INTO rows DEFAULT VALUES") }
    #expect(throws: LedgerError.self) {
      try connection.query("SELECT number FROM rows") { _ throws(LedgerError) in
        throw .failed("given up")
      }
    }
    let other = try SQLiteConnection(path: path)
    try other.execute("DROP TABLE rows")
  }

  @Test func aReadInsideAReadOfTheSameTextHasItsOwn() throws {
    let connection = try table()
    for text in ["one", "two"] {
      try connection.run("INSERT INTO rows (text) VALUES (?)", [.text(text)])
    }
    let all = "SELECT text FROM rows ORDER BY number"
    let pairs = try connection.query(all) { row throws(LedgerError) in
      let inner = try connection.query(all) { row throws(LedgerError) in try row.text(0) }
      return [try row.text(0)] + inner
    }
    #expect(pairs == [["one", "one", "two"], ["two", "one", "two"]])
  }

  @Test func moreTextsThanAreKeptStillRun() throws {
    let connection = try table()
    for number in 1...(StatementCache.most + 20) {
      #expect(try connection.query("SELECT \(number)") { $0.integer(0) } == [Int64(number)])
    }
    #expect(connection.statementsKept() == StatementCache.most)
  }

  @Test func aChangedTableIsSeen() throws {
    let connection = try table()
    try connection.run("INSERT INTO rows (text) VALUES ('one')")
    let all = "SELECT * FROM rows"
    #expect(
      try connection.query(all) { row throws(LedgerError) in try row.optionalText(1) } == ["one"])
    try connection.execute("ALTER TABLE rows ADD COLUMN more TEXT DEFAULT 'more'")
    #expect(
      try connection.query(all) { row throws(LedgerError) in try row.optionalText(2) } == ["more"])
  }

  /// A value may be anything; none stays in memory longer than its call.
  @Test func aStatementAtRestHoldsNoValue() throws {
    var connection: OpaquePointer?
    #expect(sqlite3_open(":memory:", &connection) == SQLITE_OK)
    defer { sqlite3_close(connection) }
    var compiled: OpaquePointer?
    #expect(sqlite3_prepare_v2(connection, "SELECT ?", -1, &compiled, nil) == SQLITE_OK)
    let statement = PreparedStatement(owning: try #require(compiled))
    do {
      var run = SQLiteStatement(running: statement, of: try #require(connection))
      try run.bind([.text("a value")])
      #expect(try run.step())
    }
    let text = try #require(sqlite3_expanded_sql(statement.handle))
    defer { sqlite3_free(text) }
    #expect(String(cString: text) == "SELECT NULL")
  }

  /// SQLite refuses to close a connection that has statements, and its file would stay locked.
  @Test func closingEndsTheStatements() throws {
    let directory = try TemporaryDirectory()
    var connection = try SQLiteConnection(path: directory.path + "/ledger.db")
    _ = try LedgerSchema.configure(connection, directory: directory.path)
    try LedgerSchema.migrate(connection)
    _ = try connection.query("SELECT count(*) FROM requests") { $0.integer(0) }
    #expect(connection.statementsKept() == 1)
    connection.close()
    // The last connection that is closed removes the log.
    #expect(try names(in: directory.path) == ["ledger.db"])
  }

  /// The ledger's own texts hold no value, so that they are few, whatever is asked of it.
  @Test func whatTheLedgerAsksFits() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    func kept() async throws -> Int {
      try await ledger.read { connection in connection.statementsKept() }
    }
    func use(_ number: Int) async throws {
      let row = try await ledger.started("rq-\(number)")
      _ = try await ledger.requests(of: "s_one", state: nil, limit: number, before: nil)
      _ = try await ledger.requests(of: "s_one", state: .started, limit: number, before: 9)
      _ = try await ledger.events(of: "s_one", after: 0, limit: number)
      _ = try await ledger.finish(row.number, RequestEnding(state: .declined, at: Sample.time))
    }
    try await use(1)
    let first = try await kept()
    for number in 2...5 { try await use(number) }
    #expect(try await kept() == first)
    #expect(first < StatementCache.most)
  }
}
