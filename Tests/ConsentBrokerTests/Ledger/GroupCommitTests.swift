import Testing

@testable import ConsentBroker

@Suite struct GroupCommitTests {
  @Test func writesThatComeDuringACommitShareTheNext() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    let count = 200
    await withTaskGroup(of: Void.self) { group in
      for number in 1...count {
        group.addTask { _ = try? await ledger.insert(Sample.starting("\(number)")) }
      }
    }
    #expect(try await ledger.undecided().count == count)
    #expect(await ledger.writes == count)
    // All of them were on their way before the disk had answered many times.
    #expect(await ledger.commits < count / 4)
  }

  @Test func aWriteThatFailsUndoesItselfAlone() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    async let good = ledger.insert(Sample.starting("good"))
    async let bad = Result { () async throws in
      try await ledger.write { connection throws(LedgerError) in
        _ = try RequestTable.insert(Sample.starting("half"), on: connection)
        try connection.run("INSERT INTO requests (number) VALUES (NULL)")
      }
    }
    async let alsoGood = ledger.insert(Sample.starting("also good"))
    _ = try await (good, alsoGood)
    let failed = await bad
    #expect(throws: LedgerError.self) { try failed.get() }
    #expect(
      try await ledger.undecided().map(\.requestId).sorted() == [
        "starting-also good", "starting-good",
      ])
  }

  @Test func whatIsQueuedIsWrittenBeforeTheEnd() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    await withTaskGroup(of: Bool.self) { group in
      for number in 1...50 {
        group.addTask { (try? await ledger.insert(Sample.starting("\(number)"))) != nil }
      }
      group.addTask {
        await ledger.close()
        return false
      }
      var answered = 0
      for await written in group where written { answered += 1 }
      // Whoever was told that it is written finds it.
      let again = try? LedgerFile(directory: directory.path).open().ledger
      #expect((try? await again?.undecided().count) == answered)
    }
  }

  @Test func aClosedLedgerRefuses() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    await ledger.close()
    await #expect(throws: LedgerError.self) { try await ledger.insert(Sample.session()) }
    await #expect(throws: LedgerError.self) { try await ledger.undecided() }
  }
}

extension Result where Failure == any Error {
  /// Runs `body` and keeps what it throws.
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
