import EventLoop

/// What all connections of one server may hold together in one direction, beyond a small share
/// that each has for itself.
///
/// Nobody waits for room, so nothing can deadlock: where there is none, whoever has held the most
/// patient bytes (see `ByteShare.yields`) gives way, and without one the newcomer is refused. What
/// fits into a connection's own share never asks, so that a hostile client which fills the rest
/// keeps no ordinary call from being read or answered.
@LoopActor final class ByteBudget {
  /// Bytes that each connection may hold without asking.
  let share: Int
  /// Bytes beyond the shares, of all connections together.
  let common: Int
  /// How long bytes are held before they have to make room for others.
  private let grace: Duration
  /// Of the common bytes, those that are held now.
  private(set) var held = 0
  private var holders: [ObjectIdentifier: ByteShare] = [:]

  init(share: Int, common: Int, grace: Duration) {
    self.share = share
    self.common = common
    self.grace = grace
  }

  fileprivate func change(_ holder: ByteShare, to bytes: Int) -> Bool {
    let more = bytes - holder.common
    while held + more > common, more > 0, let oldest = oldestHolder(but: holder) { oldest.evict() }
    guard more <= 0 || held + more <= common else { return false }
    held += more
    holders[ObjectIdentifier(holder)] = bytes > 0 ? holder : nil
    return true
  }

  /// A look at all of them, which only a lack of room asks for.
  private func oldestHolder(but newcomer: ByteShare) -> ByteShare? {
    let now = BootInstant.now
    return holders.values.filter { $0 !== newcomer && $0.yields && $0.since + grace <= now }
      .min { $0.since < $1.since }
  }
}

/// What one connection holds of a budget. It gives everything back with `hold(0)`.
@LoopActor final class ByteShare {
  /// Whether the connection waits for its peer, and so may have to make room for others.
  var yields = false
  /// Called when it has to make room. What it held does not count any more; it may hold nothing
  /// again.
  var onEviction: (@LoopActor () -> Void)?
  /// It had to make room.
  private(set) var isEvicted = false

  private let budget: ByteBudget
  /// What it holds beyond its own share.
  fileprivate var common = 0
  /// When it began to hold more than its own share.
  fileprivate var since = BootInstant.now

  init(of budget: ByteBudget) { self.budget = budget }

  /// Says how much is held from now on.
  ///
  /// - Returns: `false` when there is no room for it: then nothing has changed.
  func hold(_ bytes: Int) -> Bool {
    let wanted = max(0, bytes - budget.share)
    // Most messages stay below the share.
    guard wanted != common else { return true }
    guard !isEvicted || wanted < common else { return false }
    guard budget.change(self, to: wanted) else { return false }
    if common == 0 { since = .now }
    common = wanted
    return true
  }

  fileprivate func evict() {
    isEvicted = true
    _ = budget.change(self, to: 0)
    common = 0
    let action = onEviction
    onEviction = nil
    action?()
  }
}
