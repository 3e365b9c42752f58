import EventLoop

/// The lookups of nodes' names. libcurl has a thread for each, which lives until the resolver gives
/// up, whatever became of its transfer meanwhile: where a name server hangs, they add up.
package enum NameLookups {
  /// How many threads this process may have when another lookup begins; beyond that a call fails as
  /// if the name were not found. `nil`, for a program that has threads of its own: no limit.
  @LoopActor package static var mostThreads: Int?

  @LoopActor static var areTooMany: Bool {
    guard let most = mostThreads, let count = ProcessThreads.count else { return false }
    return count >= most
  }
}
