import EventLoop
import Testing

@LoopActor @Suite struct TurnstileTests {
  @Test func letsSoManyInAndTheOthersInTheirOrder() async {
    let turnstile = Turnstile(places: 2)
    var (inside, most) = (0, 0)
    var order: [Int] = []
    let all = (0..<20).map { number in
      Task { @LoopActor in
        await turnstile.pass {
          order.append(number)
          inside += 1
          most = max(most, inside)
          for _ in 0...(number % 3) { await Task.yield() }
          inside -= 1
        }
      }
    }
    for task in all { await task.value }
    #expect(most == 2)
    #expect(order == Array(0..<20))
  }

  @Test func whoFailsMakesRoom() async {
    struct Failure: Error {}
    let turnstile = Turnstile(places: 1)
    for _ in 1...3 {
      await #expect(throws: Failure.self) {
        try await turnstile.pass { () async throws(Failure) in throw Failure() }
      }
    }
  }
}
