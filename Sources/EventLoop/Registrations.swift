/// A number that stands for one watching of one descriptor, and never for another.
struct Registration: Equatable, Sendable {
  fileprivate let slot: UInt32
  /// Counts the uses of the slot, so that a late event of an earlier use is recognized.
  fileprivate let generation: UInt32

  /// What travels through the kernel with each event.
  var data: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// Who waits for which registration's events.
@LoopActor struct Registrations {
  private struct Slot {
    var generation: UInt32
    var target: (any EventTarget)?
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []

  init() {}

  /// Keeps `target` alive until `remove`.
  mutating func add(_ target: any EventTarget) -> Registration {
    guard let slot = free.popLast() else {
      slots.append(Slot(generation: 0, target: target))
      return Registration(slot: UInt32(slots.count - 1), generation: 0)
    }
    slots[Int(slot)].target = target
    return Registration(slot: slot, generation: slots[Int(slot)].generation)
  }

  mutating func remove(_ registration: Registration) {
    let slot = Int(registration.slot)
    guard slots[slot].generation == registration.generation else { return }
    slots[slot].target = nil
    slots[slot].generation &+= 1
    free.append(registration.slot)
  }

  /// Who waits for this event, or `nil` for a late event of a removed registration.
  func target(of data: UInt64) -> (any EventTarget)? {
    let slot = Int(data & 0xffff_ffff)
    guard slot < slots.count, slots[slot].generation == UInt32(data >> 32) else { return nil }
    return slots[slot].target
  }
}
