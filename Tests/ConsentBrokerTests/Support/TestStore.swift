import EventLoop

@testable import ConsentBroker

/// A manager's store, with what it would give the next process.
@LoopActor final class TestStore: SessionSecrets.Store {
  private(set) var names: [String] = []
  private var held: [SessionSecrets.Stored] = []
  var keeps = true
  /// How many it has room for; of what is more it says nothing, as the manager does.
  var room: Int?

  init() {}

  /// How often it was asked; whoever asks goes on with the answer in the same step of the loop.
  private(set) var limitsTold = 0

  func limit() async -> Int? {
    limitsTold += 1
    return room
  }

  func store(_ descriptor: borrowing OwnedDescriptor, named name: String) -> Bool {
    guard keeps, let copy = try? descriptor.duplicate() else { return false }
    if let room, held.count >= room { return true }
    names.append(name)
    held.append(SessionSecrets.Stored(name: name, descriptor: copy))
    return true
  }

  func removeStored(named name: String) {
    names.removeAll { $0 == name }
    held.removeAll { $0.name == name }
  }

  func given() -> [SessionSecrets.Stored] {
    held.compactMap { stored in
      guard let copy = try? stored.descriptor.duplicate() else { return nil }
      return SessionSecrets.Stored(name: stored.name, descriptor: copy)
    }
  }
}
