import EventLoop
import Glibc
import Testing

@Suite struct ChildProcessTests {
  @LoopActor private func run(
    _ script: String, environment: [String] = []
  ) async throws -> ChildProcess.Exit {
    try await ChildProcess.spawn(
      .init(path: "/bin/sh", arguments: ["-c", script], environment: environment)
    ).waitForExit()
  }

  @Test @LoopActor func tellsTheExitCode() async throws {
    #expect(try await run("exit 0") == .code(0))
    #expect(try await run("exit 213") == .code(213))
  }

  @Test @LoopActor func tellsTheSignal() async throws {
    let child = try ChildProcess.spawn(.init(path: "/bin/sleep", arguments: ["600"]))
    #expect(child.exit == nil)
    child.send(.terminate)
    #expect(await child.waitForExit() == .signal(SIGTERM))
    #expect(child.exit == .signal(SIGTERM))
  }

  @Test @LoopActor func getsTheGivenEnvironmentAndNothingElse() async throws {
    #expect(
      try await run("[ \"$(env -u PWD -u SHLVL -u _)\" = 'A=b c' ]", environment: ["A=b c"])
        == .code(0))
  }

  @Test @LoopActor func getsOnlyTheStandardDescriptors() async throws {
    // One without close-on-exec, as a library of the host program may have made.
    let leaked = open("/dev/null", O_RDONLY)
    defer { close(leaked) }
    // ls itself opens the directory.
    #expect(
      try await run("[ \"$(echo $(ls /proc/self/fd))\" = '0 1 2 3' ]", environment: ["PATH=/bin"])
        == .code(0))
    #expect(try await run("[ ! -e /proc/self/fd/\(leaked) ] || [ \(leaked) -le 3 ]") == .code(0))
  }

  @Test @LoopActor func startsWithCleanSignals() async throws {
    // This process ignores SIGPIPE, and the loop's thread blocks nearly all. Signals 32 and 33,
    // which glibc keeps for itself, are ignored in whatever it spawns.
    let check = "[ $(grep -cE '^Sig(Ign|Blk):.*[08]0{7}$' /proc/self/status) = 2 ]"
    #expect(try await run(check, environment: ["PATH=/bin"]) == .code(0))
  }

  @Test @LoopActor func hasASessionOfItsOwn() async throws {
    let child = try ChildProcess.spawn(.init(path: "/bin/sleep", arguments: ["600"]))
    #expect(getsid(child.pid) == child.pid)
    child.send(.kill)
    _ = await child.waitForExit()
  }

  /// C-147: the exit is seen though a grandchild lives, and no zombie stays.
  @Test @LoopActor func aGrandchildDoesNotHoldUpTheExit() async throws {
    let child = try ChildProcess.spawn(
      .init(path: "/bin/sh", arguments: ["-c", "/bin/sleep 600 & exit 0"]))
    let before = BootInstant.now
    #expect(await child.waitForExit() == .code(0))
    // A tenth of what the grandchild takes, on however busy a machine.
    #expect(BootInstant.now - before < .seconds(60))
    #expect(kill(child.pid, 0) == -1 && errno == ESRCH)
    // The session outlives its leader.
    #expect(kill(-child.pid, SIGKILL) == 0)
  }

  @Test @LoopActor func noZombieStaysWhenNobodyWaits() async throws {
    let pid = try ChildProcess.spawn(.init(path: "/bin/true")).pid
    let deadline = BootInstant.now + .seconds(60)
    while kill(pid, 0) == 0 && .now < deadline { try await LoopActor.sleep(for: .milliseconds(1)) }
    #expect(kill(pid, 0) == -1)
  }

  @Test(arguments: [
    ("/nonexistent", [], ENOENT), ("/etc/passwd", [], EACCES), ("/bin/true", ["a\0b"], EINVAL),
  ]) @LoopActor
  func aProgramThatCannotRunIsAnError(_ path: String, _ arguments: [String], _ code: CInt) throws {
    #expect(throws: SystemError(call: "posix_spawn", code: code)) {
      _ = try ChildProcess.spawn(.init(path: path, arguments: arguments))
    }
  }
}
