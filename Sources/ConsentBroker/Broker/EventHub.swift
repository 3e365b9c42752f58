import Desktop
package import EventLoop

/// The newest events of one session, and who listens. What a slow listener has not read is in
/// the ledger, so no queue grows with it.
@LoopActor final class EventHub {
  /// Enough that a listener that keeps up never reads from the disk.
  static let kept = 64

  private var recent: [BrokerEvent] = []
  /// Every event of the session after this is in `recent`.
  private(set) var floor: Int64
  /// For the first stream that reads this event.
  private var activation: (sequence: Int64, token: ActivationToken)?
  private var listeners: [ObjectIdentifier: Waiter] = [:]
  private(set) var hasEnded = false
  /// What the ledger does not have, and so has no sequence number: the newest of each request.
  private var unrecorded: [(mark: Int, number: Int64, event: BrokerEvent)] = []
  /// The mark of the newest of them that there ever was.
  private(set) var newestMark = 0

  /// - Parameter after: the ledger's newest event when the session was read or made.
  init(after sequence: Int64) { floor = sequence }

  var newest: Int64 { recent.last?.sequence ?? floor }

  /// - Precondition: events come in the order of the ledger.
  func publish(_ event: BrokerEvent, _ activationToken: ActivationToken? = nil) {
    // Nobody who comes later is at the front by then.
    activation = listeners.isEmpty ? nil : activationToken.map { (event.sequence, $0) }
    if recent.count == Self.kept { floor = recent.removeFirst().sequence }
    recent.append(event)
    for waiter in listeners.values { waiter.signal() }
  }

  /// Tells of what the ledger does not have: an end that is not written yet, which is told again
  /// when it is, or how a node can be read.
  func publishUnrecorded(_ event: BrokerEvent, of number: Int64) {
    newestMark += 1
    unrecorded.removeAll { $0.number == number }
    unrecorded.append((newestMark, number, event))
    wakeAll()
  }

  func forgetUnrecorded(_ number: Int64) { unrecorded.removeAll { $0.number == number } }

  func nextUnrecorded(after mark: Int) -> (mark: Int, event: BrokerEvent)? {
    unrecorded.first { $0.mark > mark }.map { ($0.mark, $0.event) }
  }

  /// The event as it is delivered: with the token of its return, the first time.
  func delivering(_ event: BrokerEvent) -> BrokerEvent {
    guard let activation, activation.sequence == event.sequence else { return event }
    self.activation = nil
    var event = event
    event.activationToken = activation.token
    return event
  }

  /// The session was closed: listeners end after what they have not read.
  func end() {
    hasEnded = true
    wakeAll()
  }

  func wakeAll() { for waiter in listeners.values { waiter.signal() } }

  func add(_ waiter: Waiter) { listeners[ObjectIdentifier(waiter)] = waiter }
  func remove(_ waiter: Waiter) { listeners[ObjectIdentifier(waiter)] = nil }

  /// What memory knows of the next event after `sequence`.
  enum Next {
    case event(BrokerEvent)
    case none
    /// Only the ledger knows.
    case older
  }

  func next(after sequence: Int64) -> Next {
    guard sequence >= floor else { return .older }
    guard let event = recent.first(where: { $0.sequence > sequence }) else { return .none }
    return .event(event)
  }
}

/// One event stream's place. Holds no queue: what it has not read yet stays in the ledger.
@LoopActor package final class EventSubscription {
  /// How many events one look into the ledger brings.
  static let page = 64

  private let broker: Broker
  private let session: Session
  private let waiter = Waiter()
  /// The event after which it begins.
  package let start: Int64
  /// The last event that was delivered.
  private var cursor: Int64
  /// The last event without a number that was delivered.
  private var mark: Int
  /// Read from the ledger and not delivered yet; at most `page`.
  private var replay: ArraySlice<BrokerEvent> = []
  private var isOver = false

  /// - Parameter after: `nil` for what happens from now on.
  init(_ broker: Broker, _ session: Session, after cursor: Int64?) {
    self.broker = broker
    self.session = session
    // An id of the future is from a record that was reset: what comes from now on is newer.
    let newest = session.events.newest
    start = min(cursor ?? newest, newest)
    self.cursor = start
    mark = cursor == nil ? session.events.newestMark : 0
    session.events.add(waiter)
    session.streams += 1
    broker.eventStreams += 1
  }

  isolated deinit { end() }

  /// The next event, or `.quiet` at `deadline`. Call it again after each.
  package func next(until deadline: BootInstant) async -> EventDelivery {
    while true {
      if isOver || broker.isStopping { return .stopping }
      switch await nextEvent() {
      case .event(let event):
        if event.isRecorded { cursor = event.sequence }
        return .event(session.events.delivering(event))
      // Better an end, after which the app comes back with its last id, than a gap.
      case .unreadable: return .sessionEnded
      case .none: break
      }
      if session.events.hasEnded { return .sessionEnded }
      if await !waiter.wait(until: deadline) { return .quiet }
    }
  }

  private enum Found {
    case event(BrokerEvent)
    case none
    case unreadable
  }

  private func nextEvent() async -> Found {
    while true {
      if let event = replay.popFirst() { return .event(event) }
      if let (mark, event) = session.events.nextUnrecorded(after: mark) {
        self.mark = mark
        return .event(event)
      }
      switch session.events.next(after: cursor) {
      case .event(let event): return .event(event)
      case .none: return .none
      case .older:
        let floor = session.events.floor
        guard let older = await broker.events(of: session, after: cursor, limit: Self.page) else {
          return .unreadable
        }
        // What was not published yet is told when everybody is told.
        replay = older.prefix { $0.sequence <= session.events.newest }
        // None left there: what is newer is in memory.
        if replay.isEmpty { cursor = max(cursor, floor) }
      }
    }
  }

  /// Frees its place among the streams. Also done when the last reference goes.
  package func end() {
    guard !isOver else { return }
    isOver = true
    session.events.remove(waiter)
    session.streams -= 1
    broker.eventStreams -= 1
    waiter.signal()
  }
}
