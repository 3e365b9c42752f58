import EventLoop

/// Who waits for which request.
@LoopActor final class WaitRoom {
  private struct Place: Hashable {
    let session: String
    let requestId: OpaqueID
  }

  private var waiters: [Place: [Waiter]] = [:]
  private(set) var count = 0

  init() {}

  func enter(_ requestId: String, of session: Session) -> Waiter {
    let waiter = Waiter()
    waiters[Place(session: session.id, requestId: OpaqueID(requestId)), default: []].append(waiter)
    count += 1
    session.waits += 1
    return waiter
  }

  func leave(_ waiter: Waiter, _ requestId: String, of session: Session) {
    let place = Place(session: session.id, requestId: OpaqueID(requestId))
    waiters[place]?.removeAll { $0 === waiter }
    if waiters[place]?.isEmpty == true { waiters[place] = nil }
    count -= 1
    session.waits -= 1
  }

  func isAwaited(_ requestId: String, of session: Session) -> Bool {
    waiters[Place(session: session.id, requestId: OpaqueID(requestId))] != nil
  }

  func signal(_ requestId: String, of session: String) {
    let place = Place(session: session, requestId: OpaqueID(requestId))
    for waiter in waiters[place] ?? [] { waiter.signal() }
  }

  /// Everything of a session looks different: its tokens came or went, or it ended.
  func signalAll(of session: String) {
    for (place, list) in waiters where place.session == session {
      for waiter in list { waiter.signal() }
    }
  }

  /// The daemon ends.
  func signalAll() { for waiter in waiters.values.joined() { waiter.signal() } }
}
