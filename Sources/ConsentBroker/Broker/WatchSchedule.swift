import EventLoop

/// When an undecided request is read again without anybody's return: after 1 s, each pause half
/// longer than the last, up to a ceiling that depends on who counts on it.
struct WatchSchedule {
  /// While an app waits or listens, or the request is young: a decision is told within this.
  static let attentive: Duration = .seconds(5)
  /// How often it is read at most because something seems to have changed.
  static let hurried: Duration = .seconds(1)
  /// Else, as a client's own wait would.
  static let patient: Duration = .seconds(15)
  /// Where the node does not answer, and the request's time is over.
  static let stubborn: Duration = .seconds(60)
  /// How long a request is young: most people decide in this time.
  static let youth: Duration = .minutes(2)
  private static let first: Duration = .seconds(1)
  private static let growth = 1.5
  /// Each pause is up to this much shorter, so that requests do not keep step.
  private static let jitter = 0.1

  private var pause = first

  /// - Parameters:
  ///   - chance: from 0 to 1.
  mutating func next(
    age: Duration, isAwaited: Bool, isOver: Bool, chance: Double = .random(in: 0...1)
  ) -> Duration {
    let ceiling =
      isOver ? Self.stubborn : isAwaited || age < Self.youth ? Self.attentive : Self.patient
    let now = min(pause, ceiling)
    pause = min(now * Self.growth, ceiling)
    return now * (1 - Self.jitter * chance)
  }
}
