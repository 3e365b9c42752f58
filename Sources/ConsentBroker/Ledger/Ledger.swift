import EventLoop

/// What must not be lost: sessions, requests, verdicts, events. An actor on a thread of its own,
/// since a commit waits for the disk.
///
/// A write is durable when its call returns. Writes that come while a commit is waiting for the
/// disk share the next one, so that many returns at once cost one wait and not many.
package actor Ledger {
  private let thread: ThreadExecutor
  /// The disk below it.
  nonisolated let room: StateRoom
  /// Why nothing is written, and only a copy is open; `nil` where all is well.
  private var obstacle: LedgerError?
  private var copy: LedgerCopy?
  private var connection: SQLiteConnection
  private var queued: [QueuedWrite] = []

  /// How many transactions were committed, and how many writes they held. For tests and status.
  private(set) var commits = 0
  private(set) var writes = 0

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    thread.asUnownedSerialExecutor()
  }

  /// - Parameters:
  ///   - connection: opened, checked and migrated (`LedgerFile`).
  ///   - directory: where its file is.
  ///   - obstacle: why that cannot be used, and `connection` is to `copy`.
  init(
    connection: consuming SQLiteConnection, directory: String, obstacle: LedgerError? = nil,
    copy: LedgerCopy? = nil
  ) throws(SystemError) {
    thread = try ThreadExecutor()
    room = StateRoom(directory: directory)
    (self.obstacle, self.copy) = (obstacle, copy)
    self.connection = connection
  }

  deinit { thread.stop() }

  /// Ends the use of the file, after the writes that are queued.
  func close() {
    while !queued.isEmpty { commit() }
    connection.close()
    copy?.remove()
  }

  // MARK: Writing and reading

  /// Runs `change` in the next transaction and returns once that is on the disk.
  ///
  /// A change that throws undoes itself alone; the others of its transaction stay.
  @discardableResult
  func write<R: Sendable>(
    _ change: @escaping @Sendable (borrowing SQLiteConnection) throws(LedgerError) -> R
  ) async throws(LedgerError) -> R {
    if let obstacle { throw obstacle }
    let result = await withCheckedContinuation { continuation in
      var answer: Result<R, LedgerError>?
      queued.append(
        QueuedWrite(
          apply: { connection throws(LedgerError) in answer = .success(try change(connection)) },
          finish: { error in
            let failure = error ?? .failed("a write was not run")
            continuation.resume(
              returning: error == nil ? answer ?? .failure(failure) : .failure(failure))
          }))
      // Behind every job that waits for this thread already: those are the writes that came
      // during the last commit.
      if queued.count == 1 { Task { commit() } }
    }
    return try result.get()
  }

  /// Reads without a transaction that outlives the call.
  func read<R: Sendable>(
    _ body: @Sendable (borrowing SQLiteConnection) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(connection)
  }

  /// Proves that a new request could be written, by writing as much.
  func proveWritable() async throws(LedgerError) {
    try room.prove()
    if let copy {
      // Since the copy was made, nobody has written: the directory is locked.
      var warnings: [String] = []
      connection = try LedgerFile(directory: room.directory).connect(&warnings)
      obstacle = nil
      copy.remove()
      self.copy = nil
    }
    try await write { connection throws(LedgerError) in
      // Says what is there already, and goes all the way to the disk.
      try connection.execute("PRAGMA user_version = \(LedgerSchema.version)")
    }
  }

  /// How many writes share one transaction at most: what waits behind them is not kept waiting.
  private static let writesPerCommit = 512

  private func commit() {
    let batch = Array(queued.prefix(Self.writesPerCommit))
    queued.removeFirst(batch.count)
    if !queued.isEmpty { Task { commit() } }
    guard !batch.isEmpty else { return }
    do throws(LedgerError) {
      let failures = try transaction(batch)
      commits += 1
      writes += batch.count
      for (write, failure) in zip(batch, failures) { write.finish(failure) }
    } catch {
      if connection.isInTransaction() { try? connection.execute("ROLLBACK") }
      for write in batch { write.finish(error) }
    }
  }

  /// - Returns: for each write, why it alone failed.
  private func transaction(_ batch: [QueuedWrite]) throws(LedgerError) -> [LedgerError?] {
    try connection.run("BEGIN IMMEDIATE")
    var failures: [LedgerError?] = []
    for write in batch {
      try connection.run("SAVEPOINT one")
      do throws(LedgerError) {
        try write.apply(connection)
        failures.append(nil)
      } catch {
        // "Some errors roll back the whole transaction": then nothing of this batch is there.
        guard connection.isInTransaction() else { throw error }
        try connection.run("ROLLBACK TO one")
        failures.append(error)
      }
      try connection.run("RELEASE one")
    }
    try connection.run("COMMIT")
    return failures
  }
}

/// One write that waits for its transaction.
private struct QueuedWrite {
  let apply: (borrowing SQLiteConnection) throws(LedgerError) -> Void
  /// Called once, after the commit (`nil`) or with what prevented it.
  let finish: (LedgerError?) -> Void
}
