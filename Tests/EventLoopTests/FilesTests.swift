import EventLoop
import Glibc
import Testing

@Suite struct FilesTests {
  private let scratch: ScratchDirectory
  init() throws { scratch = try ScratchDirectory() }

  @Test func readsUpToItsLimit() throws {
    let bytes = [UInt8](repeating: 5, count: 20_000)
    try Files.replace(scratch.file("f"), with: bytes, mode: 0o600)
    #expect(try Files.read(scratch.file("f"), limit: 20_000) == bytes)
    #expect(throws: SystemError(call: "read", code: EFBIG)) {
      _ = try Files.read(scratch.file("f"), limit: 19_999)
    }
  }

  @Test func replacesAsAWholeWithItsMode() throws {
    let path = scratch.file("f")
    try Files.replace(path, with: [1], mode: 0o644)
    let old = try Files.open(path, .read)
    // Left over from a process that ended in the middle.
    _ = try Files.open(path + ".new", .write, create: .exclusive(mode: 0o666))
    try Files.replace(path, with: [2, 3], mode: 0o600)
    #expect(try old.readToEnd(limit: 10) == [1])
    #expect(try Files.read(path, limit: 10) == [2, 3])
    #expect(try Files.status(of: path).mode == 0o600)
    #expect(throws: SystemError(call: "stat", code: ENOENT)) {
      _ = try Files.status(of: path + ".new")
    }
  }

  @Test func aFailedReplacementLeavesTheOldFile() throws {
    try Files.makeDirectory(scratch.file("d"), mode: 0o700)
    #expect(throws: SystemError(call: "rename", code: EISDIR)) {
      try Files.replace(scratch.file("d"), with: [2], mode: 0o600)
    }
    #expect(try Files.status(of: scratch.file("d")).kind == .directory)
    #expect(throws: SystemError(call: "stat", code: ENOENT)) {
      _ = try Files.status(of: scratch.file("d.new"))
    }
  }

  @Test func aLockIsOneOpenFiles() throws {
    let path = scratch.file("lock")
    let second = try Files.open(path, .write, create: .ifMissing(mode: 0o600))
    do {
      let first = try Files.open(path, .write)
      #expect(try first.lock())
      #expect(try !second.lock())
    }
    // A program that another test starts has a copy of the first until it runs.
    let deadline = ContinuousClock.now + .seconds(60)
    var isLocked = try second.lock()
    while !isLocked, ContinuousClock.now < deadline {
      usleep(1000)
      isLocked = try second.lock()
    }
    #expect(isLocked)
  }

  @Test func makesMissingDirectoriesWithTheirMode() throws {
    let path = scratch.file("a/b/c")
    try Files.makeDirectories(path, mode: 0o700)
    #expect(try Files.status(of: path).mode == 0o700)
    #expect(try Files.status(of: scratch.file("a")).mode == 0o700)
    try Files.makeDirectories(path + "/", mode: 0o700)
    try Files.replace(scratch.file("f"), with: [], mode: 0o600)
    #expect(throws: SystemError(call: "mkdir", code: EEXIST)) {
      try Files.makeDirectories(scratch.file("f"), mode: 0o700)
    }
    for part in ["a/b/c", "a/b", "a"] { #expect(rmdir(scratch.file(part)) == 0) }
  }

  @Test func directoriesThatSeveralMakeAtOnceAreThereForAll() async {
    let failures = await withTaskGroup(of: SystemError?.self) { group in
      for round in 0..<50 {
        let path = scratch.file("at-once/\(round)/b/c/d")
        for _ in 0..<8 {
          group.addTask {
            do throws(SystemError) {
              try Files.makeDirectories(path, mode: 0o700)
              return nil
            } catch {
              return error
            }
          }
        }
      }
      return await group.reduce(into: [SystemError]()) { if let error = $1 { $0.append(error) } }
    }
    #expect(failures == [])
    for round in 0..<50 {
      for part in ["/b/c/d", "/b/c", "/b", ""] { rmdir(scratch.file("at-once/\(round)\(part)")) }
    }
    rmdir(scratch.file("at-once"))
  }

  @Test func createsAndFollowsOnlyWhatItIsToldTo() throws {
    let path = scratch.file("f")
    #expect(throws: SystemError(call: "open", code: ENOENT)) { _ = try Files.open(path, .write) }
    _ = try Files.open(path, .write, create: .exclusive(mode: 0o600))
    #expect(throws: SystemError(call: "open", code: EEXIST)) {
      _ = try Files.open(path, .write, create: .exclusive(mode: 0o600))
    }
    #expect(symlink(path, scratch.file("link")) == 0)
    _ = try Files.open(scratch.file("link"), .read)
    #expect(throws: SystemError(call: "open", code: ELOOP)) {
      _ = try Files.open(scratch.file("link"), .read, followsLink: false)
    }
    #expect(try Files.status(of: scratch.file("link"), followsLink: false).kind == .symbolicLink)
    #expect(try Files.status(of: scratch.file("link")).kind == .regular)
  }

  @Test func aDescriptorIsNotInheritedByOtherPrograms() throws {
    let file = try Files.open("/dev/null", .read)
    #expect(file.withNumber { fcntl($0, F_GETFD) } == FD_CLOEXEC)
  }

  @Test func aNulInAPathIsRefused() throws {
    #expect(throws: SystemError(call: "open", code: EINVAL)) {
      _ = try Files.read("/dev/null\0.json", limit: 10)
    }
    #expect(throws: SystemError(call: "rename", code: EINVAL)) {
      try Files.rename(scratch.file("x"), to: scratch.file("a\0b"))
    }
  }

  @Test(arguments: [
    ("/a/b", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("a/b/", "a"), ("/a/b/", "/a"),
  ])
  func knowsTheDirectoryOfAPath(_ path: String, _ directory: String) {
    #expect(Files.directory(of: path) == directory)
  }

  @Test func writesWholeAndTruncates() throws {
    let file = try Files.open(scratch.file("f"), .write, create: .exclusive(mode: 0o600))
    try file.writeAll([UInt8](repeating: 1, count: 100_000))
    #expect(try file.status().size == 100_000)
    try file.truncate(to: 10)
    try file.sync()
    #expect(try Files.read(scratch.file("f"), limit: 10).count == 10)
  }

  @Test func theOpenFilesLimitIsRaisedToTheHardOne() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let (_, hard) = OpenFilesLimit.current
      var low = rlimit(rlim_cur: 64, rlim_max: rlim_t(hard))
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
      exit(OpenFilesLimit.raise() == hard && OpenFilesLimit.current.soft == hard ? 0 : 1)
    }
  }
}
