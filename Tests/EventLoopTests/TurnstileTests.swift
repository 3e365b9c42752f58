import EventLoop
import Testing

@LoopActor @Suite struct TurnstileTests {
  /// - Returns: who passed, in the order in which they did, and how many were inside at most.
  private func passing(places: Int) async -> (order: [Int], most: Int) {
    let turnstile = Turnstile<Int>(places: places)
    var (inside, most) = (0, 0)
    var order: [Int] = []
    // Each of them asks before the next one does.
    let all = (0..<20).map { number in
      Task.immediate { @LoopActor in
        await turnstile.pass(as: 0) {
          order.append(number)
          inside += 1
          most = max(most, inside)
          for _ in 0...(number % 3) { await Task.yield() }
          inside -= 1
        }
      }
    }
    for task in all { _ = await task.value }
    return (order, most)
  }

  @Test func letsOneInAfterAnotherInTheirOrder() async {
    let (order, most) = await passing(places: 1)
    #expect(order == Array(0..<20) && most == 1)
  }

  /// Which of two who are let in at once begins first is not the turnstile's to say.
  @Test func letsSoManyInAndAllOfThemInTheEnd() async {
    let (order, most) = await passing(places: 2)
    #expect(order.sorted() == Array(0..<20) && most == 2)
  }

  /// Tasks that want to pass in this order, all of them while the one place is taken.
  private func order(of keys: [String], droppingAll dropped: String = "") async -> [String] {
    let turnstile = Turnstile<String>(places: 1)
    let door = Waiter()
    let first = Task.immediate {
      await turnstile.pass(as: "first") { _ = await door.wait(until: .now + .seconds(3600)) }
    }
    var order: [String] = []
    let all = keys.map { key in
      Task.immediate { @LoopActor in
        await turnstile.pass(as: key) { order.append(key) }
      }
    }
    #expect(turnstile.waiting == keys.count)
    for (key, task) in zip(keys, all) where key == dropped {
      task.cancel()
      // Before anybody has left.
      let passed: Void? = await task.value
      #expect(passed == nil)
    }
    #expect(turnstile.waiting == keys.count { $0 != dropped })
    door.signal()
    _ = await first.value
    for task in all { _ = await task.value }
    #expect(turnstile.waiting == 0)
    return order
  }

  @Test func whoComesOftenWaitsBehindHimself() async {
    #expect(
      await order(of: ["a", "a", "a", "a", "b", "b", "c"]) == ["a", "b", "c", "a", "b", "a", "a"])
  }

  @Test func whoLeavesIsNotWaitedFor() async {
    #expect(await order(of: ["a", "b", "a", "c", "a"], droppingAll: "a") == ["b", "c"])
    #expect(await order(of: ["b", "a", "b"], droppingAll: "a") == ["b", "b"])
  }

  @Test func whoIsTurnedAwayDoesNotPass() async {
    let turnstile = Turnstile<Int>(places: 1)
    let door = Waiter()
    let first = Task.immediate {
      await turnstile.pass(as: 0) { await door.wait(until: .now + .seconds(3600)) }
    }
    let second = Task.immediate { @LoopActor in await turnstile.pass(as: 1) { true } }
    turnstile.turnAway()
    #expect(await second.value == nil)
    door.signal()
    #expect(await first.value == true)
    #expect(await turnstile.pass(as: 1) { true } == true)
  }

  @Test func whoFailsMakesRoom() async {
    struct Failure: Error {}
    let turnstile = Turnstile<Int>(places: 1)
    for _ in 1...3 {
      await #expect(throws: Failure.self) {
        try await turnstile.pass(as: 0) { () async throws(Failure) in throw Failure() }
      }
    }
  }
}
