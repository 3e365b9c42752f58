import EventLoop
import FoundationEssentials

/// The time by which records are old: the wall clock's, and never later than a node of this run has
/// told.
///
/// A wall clock that is years ahead, from the start or for a moment, must not have the record
/// forgotten, and a node alone cannot either. A clock that is behind forgets late.
struct AgreedTime {
  /// The latest time that a node told, and when it did.
  private var told: (date: Date, at: BootInstant)?

  /// - Returns: whether it is the first.
  mutating func note(_ date: Date, at moment: BootInstant) -> Bool {
    guard let known = byNodes(at: moment) else {
      told = (date, moment)
      return true
    }
    if date > known { told = (date, moment) }
    return false
  }

  /// - Returns: `nil` as long as no node has told the time.
  func date(wall: Date, at now: BootInstant) -> Date? {
    byNodes(at: now).map { min($0, wall) }
  }

  /// What is later than this is so by nobody's clock.
  func latest(wall: Date, at now: BootInstant) -> Date {
    byNodes(at: now).map { max($0, wall) } ?? wall
  }

  private func byNodes(at now: BootInstant) -> Date? {
    told.map { $0.date.addingTimeInterval((now - $0.at) / .seconds(1)) }
  }
}

extension Broker {
  /// - Parameter date: of a node's answer, where it has one.
  func noteTime(ofNode date: Date?, at moment: BootInstant = .now) {
    guard let date, agreedTime.note(date, at: moment) else { return }
    housekeeping.timeIsKnown()
  }

  /// What is older than this by as much as may be forgotten; `nil` while nobody can say.
  var agreedNow: Date? { agreedTime.date(wall: tools.now(), at: .now) }

  /// No time that was recorded rightly is later.
  var latestNow: Date { agreedTime.latest(wall: tools.now(), at: .now) }
}
