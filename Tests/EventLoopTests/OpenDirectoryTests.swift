import Glibc
import Testing

@testable import EventLoop

@Suite struct OpenDirectoryTests {
  private let scratch: ScratchDirectory
  init() throws { scratch = try ScratchDirectory() }

  @Test func replacesReadsAndRemovesInItself() throws {
    let directory = try OpenDirectory(scratch.path, owner: geteuid())
    try directory.replace("f", with: [1, 2], mode: 0o600)
    try directory.replace("f", with: [3], mode: 0o600)
    #expect(try directory.read("f", limit: 9) == [3])
    #expect(try directory.names() == ["f"])
    // Each list is a whole one.
    #expect(try directory.names() == ["f"])
    #expect(try Files.status(of: scratch.file("f")).mode == 0o600)
    try directory.unlink("f")
    #expect(try directory.names() == [])
  }

  @Test func copiesAFileUpToALimit() throws {
    let directory = try OpenDirectory(scratch.path, owner: geteuid())
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try Files.replace(scratch.file("from"), with: bytes, mode: 0o600)
    let source = try Files.open(scratch.file("from"), .read)
    try directory.replace("f", withContentOf: source, limit: bytes.count, mode: 0o600)
    #expect(try directory.read("f", limit: bytes.count) == bytes)
    let again = try Files.open(scratch.file("from"), .read)
    #expect(throws: SystemError(call: "read", code: EFBIG)) {
      try directory.replace("f", withContentOf: again, limit: bytes.count - 1, mode: 0o600)
    }
    // What was there is there still, and nothing else.
    #expect(try directory.read("f", limit: bytes.count) == bytes)
    #expect(try directory.names().sorted() == ["f", "from"])
  }

  @Test func staysTheOneThatWasOpened() throws {
    try Files.makeDirectory(scratch.file("d"), mode: 0o700)
    let directory = try OpenDirectory(scratch.path, owner: geteuid())
      .directory("d", owner: geteuid())
    try Files.rename(scratch.file("d"), to: scratch.file("moved"))
    try Files.makeDirectory(scratch.file("d"), mode: 0o700)
    try directory.replace("f", with: [], mode: 0o600)
    #expect(try Files.names(in: scratch.file("d")) == [])
    #expect(try Files.names(in: scratch.file("moved")) == ["f"])
    try directory.unlink("f")
  }

  @Test func isNoLinkAndNobodyElses() throws {
    try Files.makeDirectory(scratch.file("d"), mode: 0o777)
    #expect(symlink(scratch.file("d"), scratch.file("link")) == 0)
    let parent = try OpenDirectory(scratch.path, owner: geteuid())
    #expect(throws: SystemError(call: "open", code: ENOTDIR)) {
      _ = try OpenDirectory(scratch.file("link"), owner: geteuid())
    }
    #expect(throws: SystemError(call: "open", code: ENOTDIR)) {
      _ = try parent.directory("link", owner: geteuid())
    }
    #expect(throws: SystemError(call: "open", code: EPERM)) {
      _ = try parent.directory("d", owner: geteuid() + 1)
    }
    _ = try parent.directory("d", owner: geteuid())
    #expect(try Files.status(of: scratch.file("d")).mode == 0o700)
  }

  @Test func aLinkInItIsNotFollowed() throws {
    try Files.replace(scratch.file("target"), with: [7], mode: 0o600)
    #expect(symlink(scratch.file("target"), scratch.file("link")) == 0)
    #expect(symlink(scratch.file("target"), scratch.file("f.new")) == 0)
    let directory = try OpenDirectory(scratch.path, owner: geteuid())
    #expect(throws: SystemError(call: "open", code: ELOOP)) {
      _ = try directory.read("link", limit: 9)
    }
    try directory.replace("f", with: [8], mode: 0o600)
    try directory.replace("link", with: [9], mode: 0o600)
    try directory.unlink("link")
    #expect(try Files.read(scratch.file("target"), limit: 9) == [7])
  }

  @Test(arguments: ["", ".", "..", "a/b", "/tmp/x", "../x", "a\u{0}b"])
  func takesNamesAlone(_ name: String) throws {
    let directory = try OpenDirectory(scratch.path, owner: geteuid())
    func refused(_ call: () throws -> Void) {
      let error = #expect(throws: SystemError.self) { try call() }
      #expect(error?.code == EINVAL)
    }
    refused { _ = try directory.open(name, .read) }
    refused { _ = try directory.directory(name, owner: geteuid()) }
    refused { try directory.unlink(name) }
    refused { try directory.rename("f", to: name) }
    refused { try directory.rename(name, to: "f") }
    refused { try directory.makeDirectory(name, mode: 0o700) }
  }

  @Test func aNamelessFileIsSeenByNobody() throws {
    let file = try Files.openNameless(in: scratch.path)
    try file.writeAll([1, 2, 3])
    try file.sync()
    #expect(try file.status().size == 3)
    #expect(try Files.names(in: scratch.path) == [])
  }

  /// Where the file system knows no files without a name.
  @Test func norIsOneThatHadANameForAMoment() throws {
    let file = try Files.openForAMoment(in: scratch.path)
    try file.writeAll([1, 2, 3])
    #expect(try file.status().size == 3)
    #expect(try Files.names(in: scratch.path) == [])
  }

  @Test func theStartOfAPipeIsNotWaitedFor() throws {
    #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
    let writer = try Files.open(scratch.file("pipe"), .write)
    #expect(throws: SystemError(call: "not a regular file", code: EINVAL)) {
      _ = try Files.start(of: scratch.file("pipe"), count: 4)
    }
    _ = consume writer
  }
}
