import EventLoop
import Glibc
import Testing

@LoopActor private var counter = 0

/// On no actor, so that it goes on wherever the runtime resumes it.
@concurrent private func threadAfterWaiting() async -> UInt {
  await withUnsafeContinuation { continuation in
    Task { @LoopActor in continuation.resume() }
  }
  return UInt(pthread_self())
}

/// For a thread that is nobody's executor.
private func stopSoon(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  usleep(20_000)
  EventLoop.stop()
  return nil
}

@Suite struct LoopExecutorTests {
  @Test func jobsFromOtherThreadsWakeTheLoop() async {
    for _ in 0..<200 {
      let onLoop = await Task { @LoopActor in UInt(pthread_self()) }.value
      let again = await Task { @LoopActor in UInt(pthread_self()) }.value
      #expect(onLoop == again)
    }
  }

  @Test func noJobOfManyThreadsIsLost() async {
    let before = await Task { @LoopActor in counter }.value
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask { @concurrent in
          for _ in 0..<100 { await Task { @LoopActor in counter += 1 }.value }
        }
      }
    }
    let after = await Task { @LoopActor in counter }.value
    #expect(after - before == 10_000)
  }

  @Test @LoopActor func aChainOfJobsDoesNotStarveATimer() async {
    let timer = LoopTimer()
    var fired = false
    timer.arm(after: .milliseconds(2)) { fired = true }
    // Each yield is a job that the one before has added.
    let deadline = BootInstant.now + .seconds(60)
    while !fired && .now < deadline { await Task.yield() }
    #expect(fired)
  }

  @Test @LoopActor func knowsItsOwnThread() {
    LoopActor.preconditionIsolated()
    LoopActor.assumeIsolated { counter += 0 }
  }

  @Test func codeOnAnotherThreadIsStopped() async {
    await #expect(processExitsWith: .failure) {
      await Task { @LoopActor in }.value
      LoopActor.assumeIsolated { counter += 1 }
    }
  }

  @Test func aProgramRunsTheLoopOnItsOwnThread() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let main = UInt(pthread_self())
      nonisolated(unsafe) var same = false
      EventLoop.runOnThisThread {
        same = UInt(pthread_self()) == main
        try? await LoopActor.sleep(for: .milliseconds(1))
        same = same && UInt(pthread_self()) == main
        EventLoop.stop()
      }
      exit(same ? 42 : 1)
    }
  }

  @Test func aProgramResumesEverythingOnItsOwnThread() async {
    await #expect(processExitsWith: .exitCode(42)) {
      EventLoop.runOnThisThread {
        let main = UInt(pthread_self())
        var same = true
        for _ in 0..<100 where same { same = await threadAfterWaiting() == main }
        exit(same ? 42 : 1)
      }
    }
  }

  @Test func aLibraryLeavesTheJobsOfTheProgramAlone() async {
    let loop = await Task { @LoopActor in UInt(pthread_self()) }.value
    #expect(await threadAfterWaiting() != loop)
  }

  @Test func aStoppedLoopRunsAgain() async {
    await #expect(processExitsWith: .exitCode(3)) {
      for _ in 0..<3 {
        EventLoop.runOnThisThread {
          counter += 1
          EventLoop.stop()
        }
      }
      EventLoop.runOnThisThread { exit(CInt(counter)) }
    }
  }

  @Test func anotherThreadStopsTheLoop() async {
    await #expect(processExitsWith: .exitCode(5)) {
      EventLoop.runOnThisThread {
        var thread = pthread_t()
        pthread_create(&thread, nil, stopSoon, nil)
        // The process ends without waiting for it.
        pthread_detach(thread)
      }
      exit(5)
    }
  }

  @Test func asLibraryItCannotBeRunASecondTime() async {
    await #expect(processExitsWith: .failure) {
      await Task { @LoopActor in }.value
      EventLoop.runOnThisThread { exit(0) }
    }
  }

  @Test @LoopActor func brokenPipesAreIgnored() throws {
    #expect(try statusMask("SigIgn") & 1 << 12 != 0)
  }

  @Test @LoopActor func itsOwnThreadTakesNoSignals() throws {
    // All but SIGKILL, SIGSTOP and those that the C library keeps for itself.
    let blocked = try statusMask("SigBlk", thread: true)
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGUSR1, SIGALRM] {
      #expect(blocked & 1 << UInt64(signal - 1) != 0)
    }
  }

  @Test @LoopActor func theTimerCountsSuspendedTime() {
    // The kernel tells the clock of each timerfd: 7 is CLOCK_BOOTTIME.
    let clocks = (0..<256).compactMap { number -> String? in
      guard let text = try? Files.read("/proc/self/fdinfo/\(number)", limit: 4096) else {
        return nil
      }
      let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
      return lines.first { $0.hasPrefix("clockid: ") }.map(String.init)
    }
    #expect(clocks.contains("clockid: 7"))
  }
}

private func statusMask(_ name: String, thread: Bool = false) throws -> UInt64 {
  let path = thread ? "/proc/thread-self/status" : "/proc/self/status"
  let text = String(decoding: try Files.read(path, limit: 65_536), as: UTF8.self)
  let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
  return try #require(UInt64(line.split(separator: "\t")[1], radix: 16))
}
