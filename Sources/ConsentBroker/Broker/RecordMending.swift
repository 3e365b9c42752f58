import EventLoop

/// Tries again to write what the disk did not take, as long as it takes nothing.
@LoopActor final class RecordMending {
  /// The pauses double from the first to the longest.
  static let first: Duration = .seconds(1)
  static let longest: Duration = .seconds(8)

  private let attempt: @LoopActor () async -> Bool
  private let timer = LoopTimer()
  private var pause = first
  private var running: Task<Bool, Never>?
  private var isStopped = false

  /// - Parameter attempt: answers whether everything is written.
  init(_ attempt: @escaping @LoopActor () async -> Bool) { self.attempt = attempt }

  /// Whether something may not be written.
  var isUnderWay: Bool { timer.isArmed || running != nil }

  /// Begins, unless it has begun.
  func begin() {
    guard !timer.isArmed, running == nil else { return }
    pause = Self.first
    plan()
  }

  /// Tries now, once for everybody who asks at the same time.
  ///
  /// - Returns: whether everything is written.
  func now() async -> Bool { await attemptNow().value }

  /// There is no moment between its plan and the attempt: what waits is counted all the time.
  @discardableResult
  private func attemptNow() -> Task<Bool, Never> {
    if let running { return running }
    timer.disarm()
    let task = Task {
      let isDone = await attempt()
      running = nil
      if !isDone { plan() }
      return isDone
    }
    running = task
    return task
  }

  func stop() {
    isStopped = true
    timer.disarm()
  }

  private func plan() {
    guard !isStopped else { return }
    timer.arm(after: pause) { [weak self] in self?.attemptNow() }
    pause = min(pause * 2, Self.longest)
  }
}
