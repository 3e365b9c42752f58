import EventLoop
import Testing

@testable import ConsentBroker

@Suite @LoopActor struct IdleExitTests {
  private final class World {
    var isQuiet = true
    var left = 0
    var leftAt: BootInstant?
  }

  private let world = World()

  private func make(after time: Duration?) -> IdleExit {
    let world = world
    return IdleExit(after: time) {
      world.isQuiet
    } leave: {
      world.left += 1
      world.leftAt = .now
    }
  }

  @Test func leavesOnceAfterItsTime() async throws {
    let exit = make(after: .milliseconds(20))
    exit.look()
    exit.look()
    #expect(world.left == 0)
    try await LoopActor.sleep(for: .milliseconds(80))
    #expect(world.left == 1)
    exit.look()
    try await LoopActor.sleep(for: .milliseconds(40))
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
    try await LoopActor.sleep(for: .milliseconds(60))
    #expect(world.left == 0)
  }

  @Test func neverIsNeverUntilATimeIsSet() async throws {
    let exit = make(after: nil)
    exit.look()
    try await LoopActor.sleep(for: .milliseconds(30))
    #expect(world.left == 0)
    exit.time = .milliseconds(10)
    try await LoopActor.sleep(for: .milliseconds(60))
    #expect(world.left == 1)
  }

  @Test func aStoppedOneDoesNotLeave() async throws {
    let exit = make(after: .milliseconds(10))
    exit.look()
    exit.stop()
    try await LoopActor.sleep(for: .milliseconds(40))
    #expect(world.left == 0)
  }
}
