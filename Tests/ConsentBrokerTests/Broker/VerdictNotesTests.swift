import EventLoop
import FoundationEssentials
import Glibc
import MeroConsent
import Testing

@testable import ConsentBroker

@Suite struct VerdictNotesTests {
  private func note(_ number: Int64, outcome: String?) -> VerdictNote {
    var row = Sample.starting("rq-\(number)")
    row.number = number
    return VerdictNote(
      row,
      RequestEnding(
        state: .approved, at: Sample.time, outcome: outcome.map(StoredOutcome.init(text:)),
        lastReturn: LastReturn(at: Sample.time, code: "OK")), revision: 3)
  }

  @Test func whatIsKeptIsReadBack() throws {
    let directory = try TemporaryDirectory()
    let notes = VerdictNotes(in: OwnFolder(directory.path, owner: geteuid()))
    // A node's answer of 1 MiB, of which JSON makes as much as it can.
    let longest = "{" + String(repeating: "\\u0001", count: 1 << 20) + "}"
    let outcomes: [String?] = [nil, "{}", "{\n\"a\":\"\\\\\"}", longest]
    for (number, outcome) in outcomes.enumerated() {
      try notes.keep(note(Int64(number), outcome: outcome))
    }
    let (all, fault) = notes.all()
    #expect(fault == nil)
    #expect(all.sorted { $0.number < $1.number }.map(\.outcome) == outcomes)
    #expect(all.allSatisfy { $0.ending?.lastReturn?.code == "OK" })
    for number in outcomes.indices { notes.forget(Int64(number)) }
    #expect(try names(in: notes.directory) == [])
  }

  @Test func whatCouldNotBeReadBackIsNotKept() throws {
    let directory = try TemporaryDirectory()
    let notes = VerdictNotes(in: OwnFolder(directory.path, owner: geteuid()))
    let long = String(repeating: "x", count: VerdictNotes.limit)
    #expect(throws: SystemError(call: "write", code: EFBIG)) {
      try notes.keep(note(1, outcome: long))
    }
    #expect(!notes.has(1))
  }

  @Test func whatCannotBeReadStays() throws {
    let directory = try TemporaryDirectory()
    let notes = VerdictNotes(in: OwnFolder(directory.path, owner: geteuid()))
    try notes.keep(note(1, outcome: "{}"))
    try write("no note", to: notes.directory + "/2")
    try write("no number", to: notes.directory + "/thesis.txt")
    try Files.open(notes.directory + "/3", .write, create: .ifMissing(mode: 0o600))
      .truncate(to: Int64(VerdictNotes.limit) + 1)
    #expect(mkfifo(notes.directory + "/4", 0o600) == 0)
    let before = try names(in: notes.directory)
    let (all, fault) = notes.all()
    #expect(all.map(\.number) == [1])
    #expect(fault != nil)
    #expect(try names(in: notes.directory) == before)
  }

  @Test func noLinkIsFollowed() throws {
    let directory = try TemporaryDirectory()
    let theirs = directory.path + "/theirs"
    try Files.makeDirectory(theirs, mode: 0o755)
    try write("thesis", to: theirs + "/1")
    #expect(symlink(theirs, directory.path + "/unwritten") == 0)
    let notes = VerdictNotes(in: OwnFolder(directory.path, owner: geteuid()))
    #expect(notes.all().fault != nil)
    #expect(throws: SystemError.self) { try notes.keep(note(1, outcome: nil)) }
    notes.forget(1)
    #expect(try content(of: theirs + "/1") == Array("thesis".utf8))
    #expect(try mode(of: theirs) == 0o755)
  }
}
