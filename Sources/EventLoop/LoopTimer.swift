/// Calls an action once, at a moment on CLOCK_BOOTTIME. Re-arming replaces the earlier moment.
@LoopActor package final class LoopTimer {
  fileprivate var deadline = BootInstant(nanoseconds: 0)
  fileprivate var action: (@LoopActor () -> Void)?
  /// Where it is in the heap; -1 when not armed.
  fileprivate var position = -1

  package init() {}

  package var isArmed: Bool { position >= 0 }

  /// When it fires; `nil` when not armed.
  package var armedFor: BootInstant? { isArmed ? deadline : nil }

  /// The loop holds the timer, and so the action with all that it captures, until it fires or
  /// is disarmed.
  package func arm(at deadline: BootInstant, _ action: @escaping @LoopActor () -> Void) {
    LoopCore.shared.timers.remove(self)
    self.deadline = deadline
    self.action = action
    LoopCore.shared.timers.insert(self)
  }

  package func arm(after delay: Duration, _ action: @escaping @LoopActor () -> Void) {
    arm(at: .now + delay, action)
  }

  /// After this the action is not called. No harm when it is not armed.
  package func disarm() {
    LoopCore.shared.timers.remove(self)
    action = nil
  }

  fileprivate func fire() {
    let action = action
    self.action = nil
    action?()
  }
}

/// All armed timers, the earliest first: a binary heap in which each timer knows its place.
@LoopActor struct TimerHeap {
  private var heap: [LoopTimer] = []
  /// What the kernel's timer is set to. It may be earlier than needed: then one look is for
  /// nothing, which is cheaper than a system call for each timer that is disarmed.
  private var set = BootInstant(nanoseconds: .max)

  init() {}

  /// The moment that the kernel's timer must be set to, or `nil` when it is early enough.
  mutating func deadlineToSet() -> BootInstant? {
    guard let first = heap.first, first.deadline < set else { return nil }
    set = first.deadline
    return set
  }

  /// The kernel's timer has fired: takes out what is due by now, in order.
  mutating func takeDue() -> [LoopTimer] {
    set = BootInstant(nanoseconds: .max)
    let now = BootInstant.now
    var due: [LoopTimer] = []
    while let first = heap.first, first.deadline <= now {
      remove(first)
      due.append(first)
    }
    return due
  }

  mutating func insert(_ timer: LoopTimer) {
    heap.append(timer)
    timer.position = heap.count - 1
    moveUp(timer)
  }

  mutating func remove(_ timer: LoopTimer) {
    let position = timer.position
    guard position >= 0 else { return }
    timer.position = -1
    let last = heap.removeLast()
    guard last !== timer else { return }
    heap[position] = last
    last.position = position
    moveUp(last)
    moveDown(last)
  }

  private mutating func moveUp(_ timer: LoopTimer) {
    while timer.position > 0 {
      let parent = heap[(timer.position - 1) / 2]
      if parent.deadline <= timer.deadline { return }
      exchange(parent, timer)
    }
  }

  private mutating func moveDown(_ timer: LoopTimer) {
    while true {
      let left = timer.position * 2 + 1
      guard left < heap.count else { return }
      var child = heap[left]
      if left + 1 < heap.count, heap[left + 1].deadline < child.deadline { child = heap[left + 1] }
      if timer.deadline <= child.deadline { return }
      exchange(timer, child)
    }
  }

  private mutating func exchange(_ upper: LoopTimer, _ lower: LoopTimer) {
    swap(&upper.position, &lower.position)
    heap[upper.position] = upper
    heap[lower.position] = lower
  }
}

extension LoopCore {
  /// Calls the actions of all timers that are due. An action may arm and disarm timers, this
  /// pass's too: what it disarms is not called, what it arms is called in a later turn.
  func fireDueTimers() {
    for timer in timers.takeDue() where !timer.isArmed { timer.fire() }
  }
}
