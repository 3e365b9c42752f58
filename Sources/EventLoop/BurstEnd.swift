/// Sees when there were many of something and most of them have gone, and gives their memory back:
/// what they leave free lies in between what is in use, and would stay with the process.
@LoopActor package final class BurstEnd {
  /// Fewer leave nothing worth the look.
  private static let least = 64
  /// The last of them end within it, and what they leave behind.
  private static let pause: Duration = .seconds(1)

  private let timer = LoopTimer()
  private var most = 0

  package init() {}

  /// How many there are now.
  package func countChanged(to count: Int) {
    most = max(most, count)
    guard most >= Self.least, count <= most / 2, !timer.isArmed else { return }
    timer.arm(after: Self.pause) { [weak self] in
      self?.most = 0
      ProcessMemory.giveBack()
    }
  }

  package func stop() { timer.disarm() }
}
