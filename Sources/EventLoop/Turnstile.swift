/// Lets only so many in at a time, in the order in which they come.
@LoopActor package final class Turnstile {
  private var free: Int
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  package init(places: Int) { free = places }

  /// Runs `body` once there is a place. Cancelling the task does not end the wait for one.
  package func pass<R, E: Error>(
    _ body: @LoopActor () async throws(E) -> R
  ) async throws(E) -> R {
    if free > 0 {
      free -= 1
    } else {
      await withUnsafeContinuation { waiting.append($0) }
    }
    defer { leave() }
    return try await body()
  }

  private func leave() {
    // Whoever is next has the place from now on.
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
