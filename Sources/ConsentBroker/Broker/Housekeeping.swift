import EventLoop
import FoundationEssentials

/// What nobody asks for: unused sessions end; once a node has told the time, old records go, and
/// starts that a crash cut off are given up. Woken only when there may be something to do.
@LoopActor final class Housekeeping {
  /// How often old records are looked for.
  private static let round: Duration = .hours(1)
  /// Between two small steps of removing, so that a verdict is never behind many.
  private static let stepPause: Duration = .milliseconds(200)
  /// How long a row that a crash left `starting` is shown before it is given up.
  static let startingKept: TimeInterval = 86_400

  private weak var broker: Broker?
  private let timer = LoopTimer()
  private var lastRound: BootInstant?
  private var isRunning = false
  private var isStopped = false

  init(_ broker: Broker) { self.broker = broker }

  /// - Precondition: the broker has read its sessions.
  func start() { timer.arm(at: .now) { [weak self] in self?.begin() } }

  func stop() {
    isStopped = true
    timer.disarm()
  }

  /// A node has told the time: what is old can be told now.
  func timeIsKnown() {
    lastRound = nil
    guard !isStopped else { return }
    timer.arm(at: .now) { [weak self] in self?.begin() }
  }

  /// Wakes up in time for whatever comes first.
  func plan() {
    guard let broker, !isStopped, !isRunning else { return }
    var next = lastRound.map { $0 + Self.round } ?? .now
    for session in broker.vault.all where !session.isConfigured {
      let left = session.usedAt + broker.settings.sessionTimeout - AwakeInstant.now
      next = min(next, .now + left)
    }
    // Not in the same breath: a busy session is looked at again, not asked for ever.
    timer.arm(at: max(next, .now + .seconds(1))) { [weak self] in self?.begin() }
  }

  /// The session's key was used.
  func noteUse(of session: Session) {
    session.usedAt = .now
    session.useIsByWallClock = false
    guard let broker else { return }
    let now = broker.tools.now()
    guard abs(now.timeIntervalSince(session.recordedUse)) > SessionVault.touchInterval else {
      return
    }
    session.recordedUse = now
    let id = session.id
    Task { _ = try? await broker.ledgerIfAny?.touch([(id, now)]) }
  }

  private func begin() {
    guard !isRunning, !isStopped else { return }
    isRunning = true
    Task {
      if let broker { await endUnused(of: broker) }
      if let broker, lastRound.map({ $0 + Self.round <= .now }) ?? true {
        lastRound = .now
        await broker.keepUnheardTimes()
        if let now = broker.agreedNow {
          await giveUpStarting(of: broker, at: now)
          await removeOld(of: broker, at: now)
        }
        ProcessMemory.giveBack()
      }
      isRunning = false
      plan()
    }
  }

  private func endUnused(of broker: Broker) async {
    for session in Array(broker.vault.all) where !session.isConfigured {
      if session.isBusy {
        noteUse(of: session)
        continue
      }
      guard session.usedAt + broker.settings.sessionTimeout <= .now else { continue }
      let ended: ()? = try? await broker.end(
        session, because: "The session was not used for a long time.")
      if ended != nil {
        broker.log.info("unused session ended", .session(session.id), .event(.sessionEnded))
      }
    }
  }

  private func giveUpStarting(of broker: Broker, at now: Date) async {
    let limit = now.addingTimeInterval(-Self.startingKept)
    for (number, began) in broker.leftStarting where began < limit {
      await broker.giveUpStarting(number)
    }
  }

  /// - Parameter now: the time that somebody else than this machine's clock agrees with.
  func removeOld(of broker: Broker, at now: Date) async {
    guard let ledger = broker.ledgerIfAny else { return }
    let cutoff = now.addingTimeInterval(-(broker.settings.retention / .seconds(1)))
    while !isStopped {
      let latest = max(now, broker.latestNow)
      broker.recent.forget(finishedBefore: cutoff, orAfter: latest)
      let isMore = try? await ledger.removeOld(before: cutoff, noneAfter: latest)
      broker.recent.forget(finishedBefore: cutoff, orAfter: latest)
      guard isMore == true else { break }
      try? await LoopActor.sleep(for: Self.stepPause)
    }
    // Of what has ended, something may be gone, or have its time put right.
    broker.waits.signal { broker.live.of(requestId: $0.requestId, session: $0.session) == nil }
  }
}
