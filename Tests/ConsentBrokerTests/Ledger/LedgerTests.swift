import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

@Suite struct LedgerTests {
  @Test func whatWasWrittenIsThereAfterReopening() async throws {
    let directory = try TemporaryDirectory()
    let file = LedgerFile(directory: directory.path)
    var ledger = try file.open().ledger
    try await ledger.insert(Sample.session())
    let started = try await ledger.started("rq-1")
    let ending = RequestEnding(
      state: .approved, at: Sample.time, outcome: StoredOutcome(.orgCreated(orgId: "o1")),
      lastReturn: LastReturn(at: Sample.time, code: "OK"))
    let finished = try await ledger.finish(started.number, ending)
    await ledger.close()
    ledger = try file.open().ledger
    #expect(try await ledger.openSessions() == [Sample.session()])
    let found = try await ledger.request("rq-1", of: "s_one")
    #expect(found == finished?.row)
    #expect(found?.state == .approved)
    #expect(found?.lastReturn == LastReturn(at: Sample.time, code: "OK"))
    #expect(try await ledger.request(ticket: started.ticket) == found)
    #expect(try await ledger.newestRequests(named: "rq-1") == [found].compactMap(\.self))
    #expect(try await ledger.undecided() == [])
  }

  @Test func theFirstEndStays() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    let row = try await ledger.started("rq-1")
    _ = try await ledger.finish(row.number, RequestEnding(state: .cancelled, at: Sample.time))
    let second = try await ledger.finish(
      row.number, RequestEnding(state: .approved, at: Sample.time))
    #expect(second == nil)
    let note = try await ledger.note(
      LastReturn(at: Sample.time, code: "CONSENT_NOT_DECIDED"), on: row.number)
    #expect(note == nil)
    #expect(try await ledger.request("rq-1", of: "s_one")?.state == .cancelled)
    #expect(
      try await ledger.events(of: "s_one", after: 0, limit: 10).map(\.state) == [
        .started, .cancelled,
      ])
  }

  @Test func everyChangeRaisesTheRevisionAndTellsAnEvent() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    let row = try await ledger.started("rq-1")
    let note = try #require(
      try await ledger.note(
        LastReturn(at: Sample.time, code: "CONSENT_NOT_DECIDED"), on: row.number))
    #expect(note.row.revision == row.revision + 1)
    #expect(note.row.state == .started)
    #expect(note.event.lastReturn?.code == "CONSENT_NOT_DECIDED")
    let end = try #require(
      try await ledger.finish(row.number, RequestEnding(state: .declined, at: Sample.time)))
    #expect(end.row.revision == note.row.revision + 1)
    #expect(end.event.sequence > note.event.sequence)
    // A decision that no return brought keeps what the last return met.
    #expect(end.row.lastReturn?.code == "CONSENT_NOT_DECIDED")
    #expect(try await ledger.lastSequence() == end.event.sequence)
  }

  @Test func anIdempotencyKeyAnswersItsFirstRowAlsoAfterReopening() async throws {
    let directory = try TemporaryDirectory()
    let file = LedgerFile(directory: directory.path)
    var ledger = try file.open().ledger
    let key = Idempotency(key: "k", body: [1, 2, 3])
    guard
      case .inserted(let first, nil) = try await ledger.insert(
        Sample.starting("a", idempotency: key))
    else {
      Issue.record("not inserted")
      return
    }
    await ledger.close()
    ledger = try file.open().ledger
    guard case .repeated(let row) = try await ledger.insert(Sample.starting("b", idempotency: key))
    else {
      Issue.record("not repeated")
      return
    }
    #expect(row == first)
    let other = Idempotency(key: "k", body: [9])
    guard case .keyReused = try await ledger.insert(Sample.starting("c", idempotency: other))
    else {
      Issue.record("another body was taken")
      return
    }
    // Another session's key is another key.
    guard
      case .inserted = try await ledger.insert(
        Sample.starting("d", session: "s_two", idempotency: key))
    else {
      Issue.record("a stranger's key counted")
      return
    }
    // A start that the node refused frees its key.
    try await ledger.forgetStarting(first.number)
    guard case .inserted = try await ledger.insert(Sample.starting("e", idempotency: key))
    else {
      Issue.record("the key was not free")
      return
    }
  }

  @Test func aNodeThatGivesAnIdTwiceIsSeen() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    _ = try await ledger.started("rq-1")
    guard case .inserted(let row, _) = try await ledger.insert(Sample.starting("x")),
      case .idReused = try await ledger.start(row.number, Sample.start("rq-1"), at: Sample.time)
    else {
      Issue.record("the id was given twice")
      return
    }
    // Another session may have it: ids are unique for one node only.
    #expect(try await ledger.started("rq-1", session: "s_two").requestId == "rq-1")
  }

  @Test func idsAreComparedByteForByte() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    _ = try await ledger.started("e\u{301}")
    #expect(try await ledger.request("\u{e9}", of: "s_one") == nil)
    #expect(try await ledger.request("e\u{301}", of: "s_one") != nil)
    _ = try await ledger.started("a\u{0}b")
    #expect(try await ledger.request("a", of: "s_one") == nil)
    #expect(try await ledger.request("a\u{0}b", of: "s_one") != nil)
  }

  @Test func endingASessionCancelsItsRequestsAndNoOthers() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    try await ledger.insert(Sample.session())
    let mine = try await ledger.started("rq-1")
    _ = try await ledger.insert(Sample.starting("left"))
    let theirs = try await ledger.started("rq-2", session: "s_two")
    let changes = try await ledger.end(session: "s_one", at: Sample.time, detail: "closed")
    #expect(changes.map(\.row.requestId) == ["rq-1", "starting-left"])
    #expect(changes.allSatisfy { $0.row.state == .cancelled && $0.row.detail == "closed" })
    #expect(try await ledger.undecided() == [theirs])
    #expect(try await ledger.openSessions() == [])
    #expect(try await ledger.end(session: "s_one", at: Sample.time, detail: "again") == [])
    // What the node answers after that starts nothing.
    guard
      case .ended(let row?) = try await ledger.start(
        mine.number, Sample.start("rq-9"), at: Sample.time)
    else {
      Issue.record("a cancelled request was started")
      return
    }
    #expect(row.state == .cancelled)
  }

  @Test func listsNewestFirstInPages() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    for number in 1...5 { _ = try await ledger.started("rq-\(number)") }
    _ = try await ledger.started("rq-x", session: "s_two")
    let first = try await ledger.requests(of: "s_one", state: nil, limit: 3, before: nil)
    #expect(first.map(\.requestId) == ["rq-5", "rq-4", "rq-3"])
    let rest = try await ledger.requests(
      of: "s_one", state: nil, limit: 3, before: first.last?.number)
    #expect(rest.map(\.requestId) == ["rq-2", "rq-1"])
    _ = try await ledger.finish(
      first[1].number, RequestEnding(state: .declined, at: Sample.time))
    let declined = try await ledger.requests(of: "s_one", state: .declined, limit: 3, before: nil)
    #expect(declined.map(\.requestId) == ["rq-4"])
  }

  @Test func replaysASessionsEventsAfterASequence() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    _ = try await ledger.started("rq-1")
    _ = try await ledger.started("rq-x", session: "s_two")
    _ = try await ledger.started("rq-2")
    let all = try await ledger.events(of: "s_one", after: 0, limit: 10)
    #expect(all.map(\.requestId) == ["rq-1", "rq-2"])
    let later = try await ledger.events(of: "s_one", after: all[0].sequence, limit: 10)
    #expect(later == [all[1]])
  }

  @Test func oldRowsGoInSmallStepsAndNumbersAreNeverGivenTwice() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    let count = Retention.rowsPerStep + 5
    for number in 1...count {
      let row = try await ledger.started("rq-\(number)")
      _ = try await ledger.finish(row.number, RequestEnding(state: .declined, at: Sample.time))
    }
    let kept = try await ledger.started("kept")
    let before = try await ledger.lastSequence()
    let cutoff = Sample.time.addingTimeInterval(1)
    #expect(try await ledger.removeOld(before: Sample.time, noneAfter: cutoff) == false)
    #expect(
      try await ledger.requests(of: "s_one", state: nil, limit: 500, before: nil).count == count + 1
    )
    var steps = 1
    while try await ledger.removeOld(before: cutoff, noneAfter: cutoff) { steps += 1 }
    #expect(steps >= 3)
    #expect(
      try await ledger.requests(of: "s_one", state: nil, limit: 500, before: nil) == [kept])
    #expect(try await ledger.events(of: "s_one", after: 0, limit: 500) == [])
    let next = try await ledger.started("next")
    #expect(next.number == kept.number + 1)
    #expect(try await ledger.lastSequence() == before + 1)
  }

  /// The clock was years ahead for a moment, at which more was recorded than goes in one step.
  @Test func whatIsDatedYearsAheadKeepsNothingElseFromGoing() async throws {
    let directory = try TemporaryDirectory()
    let ledger = try LedgerFile(directory: directory.path).open().ledger
    let ahead = Sample.time.addingTimeInterval(8 * 365 * 86_400)
    let count = Retention.rowsPerStep + 10
    func record(_ name: String, _ count: Int, at date: Date) async throws {
      for number in 1...count {
        let row = try await ledger.started("\(name)-\(number)", at: date)
        _ = try await ledger.finish(row.number, RequestEnding(state: .declined, at: date))
      }
    }
    func left() async throws -> (requests: Int, events: Int) {
      (
        try await ledger.requests(of: "s_one", state: nil, limit: 900, before: nil).count,
        try await ledger.events(of: "s_one", after: 0, limit: 900).count
      )
    }
    try await record("ahead", count, at: ahead)
    try await record("old", 5, at: Sample.time)
    let session = Sample.session()
    try await ledger.insert(session)
    _ = try await ledger.end(session: session.id, at: ahead, detail: "closed")
    let now = Sample.time.addingTimeInterval(40 * 86_400)
    while try await ledger.removeOld(before: now.addingTimeInterval(-86_400), noneAfter: now) {}
    #expect(try await left() == (count, 2 * count))
    // They are of a time that has been.
    let one = try #require(try await ledger.request("ahead-1", of: "s_one"))
    #expect(one.finishedAt == now && one.revision == 4)
    let later = now.addingTimeInterval(1)
    while try await ledger.removeOld(before: later, noneAfter: later) {}
    #expect(try await left() == (0, 0))
    let sessions = try await ledger.read { connection throws(LedgerError) in
      try connection.query("SELECT count(*) FROM sessions") { $0.integer(0) }
    }
    #expect(sessions == [0])
  }
}
