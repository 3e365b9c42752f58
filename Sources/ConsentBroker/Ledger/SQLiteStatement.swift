import CSQLite

/// A value that a statement takes. Values never become part of a statement's text.
enum SQLValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
  static func optional(_ number: Int64?) -> SQLValue { number.map(SQLValue.integer) ?? .null }
}

/// One run of a compiled statement, which rests when this value goes.
struct SQLiteStatement: ~Copyable {
  private let prepared: PreparedStatement
  private let connection: OpaquePointer

  /// - Precondition: nobody else runs `prepared`, and `connection` outlives this value.
  init(running prepared: PreparedStatement, of connection: OpaquePointer) {
    self.prepared = prepared
    self.connection = connection
  }

  deinit { prepared.rest() }

  private var handle: OpaquePointer { prepared.handle }

  mutating func bind(_ values: [SQLValue]) throws(LedgerError) {
    precondition(Int(sqlite3_bind_parameter_count(handle)) == values.count)
    for (offset, value) in values.enumerated() {
      let index = CInt(offset) + 1
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .text(let text):
          csqlite_bind_text(handle, index, text, sqlite3_uint64(text.utf8.count))
        case .blob(let bytes):
          // An empty array has no address, and SQLite would read a missing one as NULL.
          bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : csqlite_bind_blob(handle, index, bytes, sqlite3_uint64(bytes.count))
        }
      guard code == SQLITE_OK else { throw LedgerError(sqlite: code, on: connection) }
    }
  }

  /// - Returns: whether there is a row to read.
  mutating func step() throws(LedgerError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: true
    case SQLITE_DONE: false
    case let code: throw LedgerError(sqlite: code, on: connection)
    }
  }

  // MARK: Columns of the current row

  borrowing func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, CInt(column)) }

  borrowing func optionalInteger(_ column: Int) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  /// - Throws: `.damaged` when the column holds no text.
  borrowing func text(_ column: Int) throws(LedgerError) -> String {
    guard let text = try optionalText(column) else {
      throw .damaged("a column that must hold a text holds none")
    }
    return text
  }

  borrowing func optionalText(_ column: Int) throws(LedgerError) -> String? {
    guard let start = sqlite3_column_text(handle, CInt(column)) else {
      try checkMemory()
      return nil
    }
    // Counted, not up to a NUL: an id may hold one.
    let count = Int(sqlite3_column_bytes(handle, CInt(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Of a text or a blob; 0 for NULL.
  borrowing func byteCount(_ column: Int) -> Int { Int(sqlite3_column_bytes(handle, CInt(column))) }

  borrowing func bytes(_ column: Int) throws(LedgerError) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, CInt(column)) else {
      try checkMemory()
      return []
    }
    let count = Int(sqlite3_column_bytes(handle, CInt(column)))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// A value that is not there is NULL, or one that there was no memory for: taken for the other,
  /// it would be lost, or a sound database taken for a broken one.
  private borrowing func checkMemory() throws(LedgerError) {
    let code = sqlite3_extended_errcode(connection)
    guard code & 0xff != SQLITE_NOMEM else { throw LedgerError(sqlite: code, on: connection) }
  }

  private borrowing func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, CInt(column)) == SQLITE_NULL
  }
}
