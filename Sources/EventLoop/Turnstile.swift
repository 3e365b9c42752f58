/// Lets only so many in at a time. Each key has a queue of its own, and the queues have their turns:
/// who comes often waits behind himself, and keeps nobody else waiting.
@LoopActor package final class Turnstile<Key: Hashable & Sendable> {
  @LoopActor private final class Waiting {
    var continuation: UnsafeContinuation<Bool, Never>?

    func end(_ hasPlace: Bool) {
      continuation?.resume(returning: hasPlace)
      continuation = nil
    }
  }

  private var free: Int
  private var queues: [Key: [Waiting]] = [:]
  /// The keys that somebody waits with; the first is next.
  private var turns: [Key] = []

  package init(places: Int) { free = places }

  /// How many wait.
  package var waiting: Int { queues.values.reduce(0) { $0 + $1.count } }

  /// Runs `body` once there is a place.
  ///
  /// - Returns: `nil` where the task was cancelled before there was one, or everybody turned away.
  package func pass<R, E: Error>(
    as key: Key, _ body: @LoopActor () async throws(E) -> R
  ) async throws(E) -> R? {
    guard await enter(key) else { return nil }
    defer { leave() }
    return try await body()
  }

  /// Nobody who waits now will have a place.
  package func turnAway() {
    let all = queues.values.joined()
    (queues, turns) = ([:], [])
    for waiting in all { waiting.end(false) }
  }

  private func enter(_ key: Key) async -> Bool {
    if free > 0 {
      free -= 1
      return true
    }
    let waiting = Waiting()
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: false) }
        waiting.continuation = continuation
        if queues[key] == nil { turns.append(key) }
        queues[key, default: []].append(waiting)
      }
    } onCancel: {
      Task { @LoopActor in self.drop(waiting, key) }
    }
  }

  private func drop(_ waiting: Waiting, _ key: Key) {
    guard waiting.continuation != nil else { return }
    queues[key]?.removeAll { $0 === waiting }
    if queues[key]?.isEmpty == true {
      queues[key] = nil
      turns.removeAll { $0 == key }
    }
    waiting.end(false)
  }

  private func leave() {
    // Whoever is next has the place from now on.
    guard !turns.isEmpty else {
      free += 1
      return
    }
    let key = turns.removeFirst()
    let next = queues[key]?.removeFirst()
    if queues[key]?.isEmpty == true { queues[key] = nil } else { turns.append(key) }
    next?.end(true)
  }
}
