import EventLoop
import Testing

@testable import ConsentBroker

@Suite(.aFewAtATime) @LoopActor struct IdleExitTests {
  private final class World {
    var isQuiet = true
    var left = 0
    var leftAt: BootInstant?
  }

  private let world = World()

  private func make(after time: Duration?, in world: World? = nil) -> IdleExit {
    let world = world ?? self.world
    return IdleExit(after: time) {
      world.isQuiet
    } leave: {
      world.left += 1
      world.leftAt = .now
    }
  }

  /// Returns once another one that begins now has left. Timers fire in the order of their times: one
  /// that began before, with as much time, would have left by then.
  private func pass(_ time: Duration) async throws {
    let later = World()
    let exit = make(after: time, in: later)
    exit.look()
    try await LoopActor.until { later.left == 1 }
  }

  @Test func leavesOnceAfterItsTime() async throws {
    let exit = make(after: .milliseconds(20))
    exit.look()
    exit.look()
    #expect(world.left == 0)
    try await LoopActor.until { world.left > 0 }
    exit.look()
    try await pass(.milliseconds(20))
    #expect(world.left == 1)
  }

  @Test func whatComesInBetweenBeginsItAnew() async throws {
    let time = Duration.milliseconds(200)
    let exit = make(after: time)
    exit.look()
    var last = BootInstant.now
    // However slow the machine is: the time counts from the last of them.
    for _ in 0..<5 where world.left == 0 {
      try await LoopActor.sleep(for: .milliseconds(50))
      guard world.left == 0 else { break }
      last = .now
      world.isQuiet = false
      exit.look()
      world.isQuiet = true
      exit.look()
    }
    while world.left == 0 { try await LoopActor.sleep(for: .milliseconds(10)) }
    let leftAt = try #require(world.leftAt)
    #expect(leftAt - last >= time)
  }

  @Test func itLooksAgainBeforeItLeaves() async throws {
    let exit = make(after: .milliseconds(20))
    exit.look()
    world.isQuiet = false
    try await pass(.milliseconds(20))
    #expect(world.left == 0)
  }

  @Test func neverIsNeverUntilATimeIsSet() async throws {
    let exit = make(after: nil)
    exit.look()
    try await pass(.milliseconds(30))
    #expect(world.left == 0)
    exit.time = .milliseconds(10)
    try await LoopActor.until { world.left == 1 }
  }

  @Test func aStoppedOneDoesNotLeave() async throws {
    let exit = make(after: .milliseconds(10))
    exit.look()
    exit.stop()
    try await pass(.milliseconds(10))
    #expect(world.left == 0)
  }
}
