/// When an undecided request is read again: at once, then after 1 s, each pause half longer than
/// the last, to 15 s at most. Each is up to 10 % shorter than that, by chance, so that the clients
/// of one node do not keep step.
package struct PollSchedule {
  private static let first = 1.0
  private static let growth = 1.5
  private static let longest = 15.0
  private static let jitter = 0.1

  private var pause = first

  package init() {}

  /// - Parameter chance: from 0 to 1.
  package mutating func next(chance: Double) -> Duration {
    defer { pause = min(pause * Self.growth, Self.longest) }
    return .seconds(pause * (1 - Self.jitter * chance))
  }
}
