import EventLoop
import Glibc
import Testing

@testable import ConsentBroker

@LoopActor @Suite struct RecordMendingTests {
  /// Whoever looks in the same turn of the loop in which a try begins.
  @Test func itIsUnderWayAlsoWhileATryBegins() async throws {
    var tries = 0
    let mending = RecordMending {
      tries += 1
      return tries == 2
    }
    mending.begin()
    var seen: Bool?
    let timer = LoopTimer()
    let due = BootInstant.now + RecordMending.first
    timer.arm(at: due) { seen = mending.isUnderWay }
    try await LoopActor.sleep(until: due + .milliseconds(-50))
    // The loop is late, so that both are due in one turn, in the order of their times.
    usleep(100_000)
    try await LoopActor.until { seen != nil }
    #expect(seen == true)
    while tries < 2 {
      #expect(mending.isUnderWay)
      await Task.yield()
    }
    try await LoopActor.until { !mending.isUnderWay }
  }
}
