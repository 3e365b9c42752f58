import CLinux
import EventLoop
import Glibc
import Testing

@Suite struct SignalsTests {
  @Test func aProgramHearsItsSignalsInsteadOfDying() async {
    await #expect(processExitsWith: .exitCode(15)) {
      Signals.block([.terminate])
      EventLoop.runOnThisThread {
        let signals = try? Signals([.terminate, .user1]) { exit($0.rawValue) }
        // To this thread: the others here are not of our making and block nothing.
        pthread_kill(pthread_self(), SIGTERM)
        try? await LoopActor.sleep(for: .seconds(60))
        signals?.stop()
        exit(1)
      }
    }
  }

  @Test func aStoppedOneTellsNothing() async {
    await #expect(processExitsWith: .exitCode(0)) {
      EventLoop.runOnThisThread {
        let signals = try? Signals([.user1]) { _ in exit(1) }
        signals?.stop()
        pthread_kill(pthread_self(), SIGUSR1)
        await turns()
        exit(0)
      }
    }
  }
}

@Suite struct ClockChangeTests {
  @Test(.enabled(if: shiftClock(), "needs CAP_SYS_TIME")) @LoopActor
  func isToldOfEachChange() async throws {
    var changes = 0
    let watch = try ClockChange { changes += 1 }
    for _ in 1...3 {
      // Others may set the clock meanwhile, such as this test in another process.
      let before = changes
      #expect(shiftClock())
      let deadline = BootInstant.now + .seconds(60)
      while changes == before && .now < deadline { await Task.yield() }
      #expect(changes > before)
    }
    watch.stop()
  }
}

/// By a nanosecond: less would be no change for the kernel, and this is none for the machine.
private func shiftClock() -> Bool {
  var change = timex()
  change.modes = 0x0100 | 0x2000  // ADJ_SETOFFSET | ADJ_NANO
  change.time.tv_usec = 1
  return adjtimex(&change) != -1
}
