import EventLoop

/// Reads undecided requests again without anybody's return: the person may have decided and
/// closed the page, or the browser may not reach us.
@LoopActor final class Watcher {
  private let turns: NodeTurns
  private let isAwaited: @LoopActor (LiveRequest) -> Bool
  private let look: @LoopActor (LiveRequest) async -> Void
  private var isStopped = false

  init(
    _ turns: NodeTurns, isAwaited: @escaping @LoopActor (LiveRequest) -> Bool,
    look: @escaping @LoopActor (LiveRequest) async -> Void
  ) {
    self.turns = turns
    self.isAwaited = isAwaited
    self.look = look
  }

  /// Plans the next read. Called again after anything that changes when that should be.
  func watch(_ live: LiveRequest) {
    // A verdict that waits for the disk needs no node.
    guard !isStopped, !live.isOver, live.unwritten == nil else { return live.timer.disarm() }
    let now = BootInstant.now
    if live.session.needsTokens {
      // Nothing can be asked until the app sends tokens, or it is too late for them.
      return arm(live, at: max(live.lastLook(at: now), now + WatchSchedule.stubborn))
    }
    let pause = live.schedule.next(
      age: now - live.beganAt, isAwaited: isAwaited(live), isOver: now >= live.deadline)
    // The last read is at the deadline itself.
    let next = now + pause
    arm(live, at: now < live.deadline ? min(next, live.deadline) : next)
  }

  /// Reads as soon as the node may be asked again: somebody has begun to wait.
  func attend(_ live: LiveRequest) {
    guard let planned = live.timer.armedFor, !live.session.needsTokens else { return }
    let soon = max(.now, live.lastReadAt + WatchSchedule.attentive)
    if planned > soon { arm(live, at: soon) }
  }

  /// Reads now: there is a reason to think that something has changed. Where that is said again and
  /// again, each second.
  func hurry(_ live: LiveRequest) {
    live.schedule = WatchSchedule()
    // The read that is under way may have begun before the change.
    guard !live.isWatched else {
      live.isHurried = true
      return
    }
    let soon = max(.now, live.hurriedAt.map { $0 + WatchSchedule.hurried } ?? .now)
    if let planned = live.timer.armedFor, planned <= soon { return }
    live.hurriedAt = soon
    arm(live, at: soon)
  }

  func stop() { isStopped = true }

  private func arm(_ live: LiveRequest, at time: BootInstant) {
    guard !isStopped, !live.isOver else { return }
    live.timer.arm(at: max(time, live.notBefore)) { [weak self] in self?.begin(live) }
  }

  /// One look at a time at each request: a node that does not answer lets none pile up.
  private func begin(_ live: LiveRequest) {
    guard !live.isWatched else {
      live.isHurried = true
      return
    }
    live.isWatched = true
    turns.run(in: live.turn, isUrgent: false) { [self] in
      // While it waited for its turn, the node may have asked for a pause.
      if !isStopped, !live.isOver, live.unwritten == nil, live.notBefore <= .now {
        await look(live)
      }
      live.isWatched = false
      watch(live)
      guard live.isHurried else { return }
      live.isHurried = false
      hurry(live)
    }
  }
}
