import EventLoop
import Glibc
import Testing

@Suite struct UnixListenerTests {
  /// A umask is the whole process's, so each case has a process of its own.
  @Test func hasItsModeWhateverTheUmask() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let scratch = try ScratchDirectory()
      await Task { @LoopActor in
        for (index, mask) in [mode_t(0), 0o022, 0o077, 0o777].enumerated() {
          umask(mask)
          let path = scratch.file("s\(index)")
          guard let listener = try? Listener.unix(path: path, mode: 0o600) else { exit(1) }
          guard let status = try? Files.status(of: path), status.mode == 0o600 else { exit(2) }
          listener.close()
        }
      }.value
    }
  }

  @Test @LoopActor func replacesASocketThatADeadProcessLeft() async throws {
    let scratch = try ScratchDirectory()
    try abandon(scratch.file("s"))
    let listener = try Listener.unix(path: scratch.file("s"), mode: 0o600)
    _ = try await Connector.unix(path: scratch.file("s"))
    _ = try await listener.accept()
  }

  @Test @LoopActor func leavesASocketAloneOnWhichSomebodyListens() async throws {
    let scratch = try ScratchDirectory()
    let first = try Listener.unix(path: scratch.file("s"), mode: 0o600)
    #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
      _ = try Listener.unix(path: scratch.file("s"), mode: 0o600)
    }
    _ = try await Connector.unix(path: scratch.file("s"))
    _ = try await first.accept()
  }

  @Test @LoopActor func leavesAFileAloneThatIsNoSocket() throws {
    let scratch = try ScratchDirectory()
    try Files.replace(scratch.file("s"), with: [1], mode: 0o600)
    #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
      _ = try Listener.unix(path: scratch.file("s"), mode: 0o600)
    }
    #expect(try Files.read(scratch.file("s"), limit: 1) == [1])
  }

  @Test @LoopActor func removesItsSocketAtTheEnd() throws {
    let scratch = try ScratchDirectory()
    let listener = try Listener.unix(path: scratch.file("s"), mode: 0o600)
    listener.close()
    #expect(throws: SystemError(call: "stat", code: ENOENT)) {
      _ = try Files.status(of: scratch.file("s"))
    }
  }

  @Test @LoopActor func leavesTheSocketOfASuccessorAlone() throws {
    let scratch = try ScratchDirectory()
    let old = try Listener.unix(path: scratch.file("s"), mode: 0o600)
    try Files.unlink(scratch.file("s"))
    let new = try Listener.unix(path: scratch.file("s"), mode: 0o600)
    old.close()
    #expect(try Files.status(of: scratch.file("s")).kind == .socket)
    new.close()
  }

  @Test @LoopActor func aPathOf107BytesFitsAndOneMoreDoesNot() throws {
    let scratch = try ScratchDirectory()
    let room = 107 - scratch.file("").utf8.count
    let fits = scratch.file(String(repeating: "x", count: room))
    _ = try Listener.unix(path: fits, mode: 0o600)
    #expect(throws: SystemError(call: "bind", code: ENAMETOOLONG)) {
      _ = try Listener.unix(path: fits + "x", mode: 0o600)
    }
  }

  @Test(arguments: ["", "\0abstract", "a\0b"]) @LoopActor
  func refusesAPathThatTheKernelWouldReadDifferently(_ path: String) throws {
    #expect(throws: SystemError(call: "bind", code: EINVAL)) {
      _ = try Listener.unix(path: path, mode: 0o600)
    }
  }

  /// Makes a socket file on which nobody listens.
  private func abandon(_ path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let number = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, size) }
    }
    try #require(result == 0)
    close(number)
  }
}
