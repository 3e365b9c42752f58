import Testing

/// Of the tests with a broker a few run at a time.
///
/// All of them share one loop. Where hundreds begin at once on a slow machine, each has so little of
/// it that limits which are the product's own pass (a page waits some seconds for its verdict).
struct AFewAtATime: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    await Places.shared.take()
    do {
      try await function()
    } catch {
      await Places.shared.giveBack()
      throw error
    }
    await Places.shared.giveBack()
  }
}

extension Trait where Self == AFewAtATime {
  static var aFewAtATime: Self { Self() }
}

private actor Places {
  static let shared = Places()

  private var free = 8
  private var waiters: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiters.append($0) }
  }

  /// Whoever has waited the longest has it.
  func giveBack() {
    guard !waiters.isEmpty else {
      free += 1
      return
    }
    waiters.removeFirst().resume()
  }
}
