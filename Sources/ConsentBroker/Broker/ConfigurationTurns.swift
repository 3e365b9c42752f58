import EventLoop

/// Puts one configuration in force at a time, and of those that were read the newest in the end.
///
/// A configuration takes long where nodes are slow or the disk is, and one that the disk postponed
/// comes back at any moment: without turns it would undo a newer one.
@LoopActor final class ConfigurationTurns {
  /// A configuration, and the how manieth it is that was read.
  struct Reading {
    let configuration: Configuration
    fileprivate let number: Int
  }

  private let turnstile = Turnstile<Int>(places: 1)
  private var newest = 0

  /// From now on those that were read before have no say.
  func reading(of configuration: Configuration) -> Reading {
    newest += 1
    return Reading(configuration: configuration, number: newest)
  }

  /// Asked before each step: what is newer waits for its turn, and will do all of it.
  func isNewest(_ reading: Reading) -> Bool { reading.number == newest }

  /// Runs `body` once nothing else changes the sessions of the configuration.
  ///
  /// - Throws: `.stopping` where the task was cancelled before.
  func take<R>(
    _ body: @LoopActor () async throws(Problem) -> R
  ) async throws(Problem) -> R {
    guard let result = try await turnstile.pass(as: 0, body) else { throw .stopping }
    return result
  }
}
