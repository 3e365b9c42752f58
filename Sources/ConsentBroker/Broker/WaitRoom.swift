import EventLoop

/// Who waits for which request.
@LoopActor final class WaitRoom {
  private struct Place: Hashable {
    let session: String
    let requestId: OpaqueID
  }

  private var groups: [Place: WaitGroup] = [:]
  private(set) var count = 0
  /// Looks at a request that has changed, for all who wait for it.
  private let look: @LoopActor (WaitGroup) async -> Void

  init(look: @escaping @LoopActor (WaitGroup) async -> Void) { self.look = look }

  /// - Parameters:
  ///   - etag: what the app has.
  ///   - onEnd: called once, never within this call.
  func enter(
    _ requestId: String, of session: Session, has etag: String, until deadline: BootInstant,
    onEnd: @escaping @LoopActor (Wait.End) -> Void
  ) -> Wait {
    let place = Place(session: session.id, requestId: OpaqueID(requestId))
    let group =
      groups[place]
      ?? WaitGroup(requestId, of: session) { [unowned self] group in left(group, place) }
    groups[place] = group
    let wait = Wait(etag, in: group, until: deadline, onEnd: onEnd)
    group.add(wait)
    count += 1
    session.waits += 1
    return wait
  }

  private func left(_ group: WaitGroup, _ place: Place) {
    count -= 1
    group.session.waits -= 1
    if group.isEmpty { groups[place] = nil }
  }

  func isAwaited(_ requestId: String, of session: Session) -> Bool {
    groups[Place(session: session.id, requestId: OpaqueID(requestId))] != nil
  }

  func signal(_ requestId: String, of session: String) {
    groups[Place(session: session, requestId: OpaqueID(requestId))].map(signal)
  }

  /// Everything of a session looks different: its tokens came or went, or it ended.
  func signalAll(of session: String) {
    for (place, group) in groups where place.session == session { signal(group) }
  }

  func signal(where isMeant: (WaitGroup) -> Bool) {
    for group in groups.values where isMeant(group) { signal(group) }
  }

  /// The daemon ends.
  func signalAll() { for group in groups.values { signal(group) } }

  /// One look at a time for each group: what changes meanwhile takes another one.
  func signal(_ group: WaitGroup) {
    group.isChanged = true
    guard !group.isLooking else { return }
    group.isLooking = true
    Task {
      while group.isChanged {
        group.isChanged = false
        await look(group)
      }
      group.isLooking = false
    }
  }
}
