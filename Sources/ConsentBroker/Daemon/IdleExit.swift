import EventLoop

/// Ends a daemon that nobody needs: its sockets, which the service manager keeps, wake the next.
///
/// A client that comes at the edge is not lost. The last look and the closing of our copies of
/// the sockets are one step of the loop: who came before was accepted and keeps us awake, who
/// comes after waits in the manager's socket for the next process.
@LoopActor final class IdleExit {
  /// How long it has to be quiet; `nil` for ever.
  var time: Duration? {
    didSet {
      timer.disarm()
      isCounting = false
      look()
    }
  }

  private let isQuiet: @LoopActor () -> Bool
  private let leave: @LoopActor () -> Void
  private let timer = LoopTimer()
  private var isCounting = false
  private var isOver = false

  /// How often a daemon that is busy is looked at, should nobody tell that it no longer is.
  private static let recheck: Duration = .seconds(60)

  /// - Parameters:
  ///   - isQuiet: whether nothing is open, and nobody waits to be accepted.
  ///   - leave: stops accepting, before it returns, and ends the daemon.
  init(
    after time: Duration?, isQuiet: @escaping @LoopActor () -> Bool,
    leave: @escaping @LoopActor () -> Void
  ) {
    self.time = time
    self.isQuiet = isQuiet
    self.leave = leave
  }

  /// Called after anything that may have made it quiet, or ended the quiet.
  func look() {
    guard !isOver, let time else { return }
    let isQuiet = isQuiet()
    guard !isQuiet || !isCounting else { return }
    isCounting = isQuiet
    timer.arm(after: isQuiet ? time : max(time, Self.recheck)) { [weak self] in
      self?.timeIsOver()
    }
  }

  func stop() {
    isOver = true
    timer.disarm()
  }

  private func timeIsOver() {
    guard !isOver else { return }
    guard isCounting, isQuiet() else {
      isCounting = false
      return look()
    }
    isOver = true
    leave()
  }
}
