import CSQLite
import EventLoop
import Glibc
import Testing

@testable import ConsentBroker

/// Limits of a whole process, so each has a process of its own.
@Suite struct WithoutMemoryTests {
  @Test func withoutMemoryNothingIsLostAndNothingIsTakenForDamage() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let ledger = try LedgerFile(directory: directory.path).open().ledger
      let row = try await ledger.started("rq-1")
      let ending = RequestEnding(state: .approved, at: Sample.time)
      sqlite3_hard_heap_limit64(1)
      await #expect(throws: LedgerError.self) {
        // Also what the cache has room for runs out of it.
        for number in 0..<2000 { _ = try await ledger.insert(Sample.starting("\(number)")) }
      }
      let failure = #expect(throws: StartFailure.self) {
        try LedgerFile(directory: directory.path).open()
      }
      #expect(failure?.word == .stateUnavailable)
      sqlite3_hard_heap_limit64(0)
      #expect(try names(in: directory.path).filter { $0.contains("corrupt") } == [])
      #expect(try await ledger.finish(row.number, ending)?.row.state == .approved)
      await ledger.close()
      let opened = try LedgerFile(directory: directory.path).open()
      #expect(opened.reset == nil)
      #expect(try await opened.ledger.request("rq-1", of: "s_one")?.state == .approved)
    }
  }

  /// A column may be copied when it is read, and SQLite says NULL where there is no room for that.
  @Test func aValueThatThereIsNoMemoryForIsNotMissing() async throws {
    await #expect(processExitsWith: .success) {
      let connection = try SQLiteConnection(path: ":memory:")
      for isOptional in [true, false] {
        var met: LedgerError?
        do throws(LedgerError) {
          _ = try connection.query("SELECT zeroblob(3000)") { row throws(LedgerError) in
            sqlite3_hard_heap_limit64(1)
            defer { sqlite3_hard_heap_limit64(0) }
            return isOptional ? try row.optionalText(0) : try row.text(0)
          }
        } catch {
          met = error
        }
        guard case .failed? = met else {
          Issue.record("\(String(describing: met))")
          return
        }
      }
    }
  }

  @Test func withoutDescriptorsWhatIsOpenIsWrittenAndNothingIsTakenForDamage() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let ledger = try LedgerFile(directory: directory.path).open().ledger
      let row = try await ledger.started("rq-1")
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let before = limit.rlim_cur
      limit.rlim_cur = 3
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let failure = #expect(throws: StartFailure.self) {
        try LedgerFile(directory: directory.path).open()
      }
      #expect(failure?.sentence.contains("Too many open files") == true)
      await #expect(throws: LedgerError.self) { try await ledger.proveWritable() }
      let ending = RequestEnding(state: .approved, at: Sample.time)
      #expect(try await ledger.finish(row.number, ending)?.row.state == .approved)
      limit.rlim_cur = before
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      #expect(try names(in: directory.path).filter { $0.contains("corrupt") } == [])
      try await ledger.proveWritable()
    }
  }
}
