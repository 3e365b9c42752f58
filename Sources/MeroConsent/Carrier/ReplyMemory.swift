package import EventLoop

/// What the answers of all nodes may take of this process's memory together.
///
/// Each has a share of its own, into which the answers of the consent API fit. Beyond the shares
/// there is a common room. Where that is used up the longest answer gives way to one that is half as
/// long or shorter, so that a node which sends much keeps no other's answer from being read; of those
/// that are alike the newcomer is cut, or each would end another and none be read to its end.
@LoopActor package final class ReplyMemory {
  /// Bytes of each answer that are not counted.
  nonisolated package static let share = 8 * 1024
  /// Some answers of the longest kind at a time. Who joins their pieces takes up to three times as
  /// much for a moment.
  nonisolated package static let ofThisProcess = ReplyMemory(common: 4 * 1024 * 1024)

  private let common: Int
  /// Of the common room, what is taken now.
  package private(set) var held = 0
  private var rooms: [ObjectIdentifier: ReplyRoom] = [:]

  /// - Parameter common: bytes beyond the shares, of all answers together.
  nonisolated package init(common: Int) { self.common = common }

  fileprivate func change(_ room: ReplyRoom, to bytes: Int) -> Bool {
    let more = bytes - room.counted
    while more > 0, more > common - held, let longest = longest(but: room, from: 2 * bytes) {
      longest.giveWay()
    }
    guard more <= 0 || more <= common - held else { return false }
    held += more
    room.counted = bytes
    rooms[ObjectIdentifier(room)] = bytes > 0 ? room : nil
    return true
  }

  /// A look at all of them, which only a lack of room asks for.
  private func longest(but newcomer: ReplyRoom, from bytes: Int) -> ReplyRoom? {
    rooms.values.filter { $0 !== newcomer && $0.counted >= bytes }
      .max { $0.counted < $1.counted }
  }
}

/// What one answer takes. It gives everything back with `release()`.
@LoopActor final class ReplyRoom {
  /// Called when it has to give way; what it took does not count any more.
  var onGivingWay: (@LoopActor () -> Void)?
  fileprivate var counted = 0
  private let memory: ReplyMemory

  init(in memory: ReplyMemory) { self.memory = memory }

  /// Says how long the answer is so far.
  ///
  /// - Returns: `false` when there is no room for that.
  func hold(_ bytes: Int) -> Bool { memory.change(self, to: max(0, bytes - ReplyMemory.share)) }

  func release() { _ = memory.change(self, to: 0) }

  fileprivate func giveWay() {
    release()
    onGivingWay?()
  }
}
