import EventLoop

/// Calls to nodes that are under way, of all sessions, and those that wait for their turn. One that
/// waits for its node takes some 40 KiB, and a node that never answers has it wait for half a minute.
///
/// Whoever waits in line costs next to nothing. What somebody waits for, as a return or a start, goes
/// before what the watcher reads by itself, and has places that the watcher leaves free.
@LoopActor final class NodeTurns {
  enum Limits {
    /// Calls of one session under way.
    static let ofASession = 8
    /// Calls of all sessions under way, beyond one for each, which it may have whatever others do.
    static let common = 256
    /// How much of both the watcher may have.
    static func watched(_ places: Int) -> Int { places * 3 / 4 }
  }

  private(set) var underWay = 0
  private var busySessions = 0
  /// Sessions with something in line; who had a turn last is the last.
  private var waiting: [Session] = []

  init() {}

  /// Does `work` while `turn` has a place, which everything that is done in it at a time shares.
  func run(in turn: NodeTurn, isUrgent: Bool, _ work: @escaping @LoopActor () async -> Void) {
    turn.works.append(work)
    switch turn.state {
    case .going, .exempt: begin(worksOf: turn)
    case .idle: enter(turn, isUrgent: isUrgent)
    case .waiting: if isUrgent { hurry(turn) }
    }
  }

  /// Does `body` in a turn of its own, for somebody who waits for it.
  ///
  /// - Returns: `nil` where there was no place until `deadline`, or the task was cancelled or turned
  ///   away before.
  func pass<R, E: Error>(
    for session: Session, until deadline: BootInstant, _ body: () async throws(E) -> R
  ) async throws(E) -> R? {
    let waiter = Waiter()
    let turn = NodeTurn(of: session) { waiter.signal() }
    enter(turn, isUrgent: true)
    if turn.state == .waiting { _ = await waiter.wait(until: deadline) }
    guard turn.state == .going else {
      leaveLine(turn)
      return nil
    }
    defer { end(turn) }
    return try await body()
  }

  /// Nobody who waits for a call of their own has a place any more.
  func turnAway() {
    for turn in waiting.flatMap(\.turns.all) where turn.onTurn != nil {
      leaveLine(turn)
      turn.onTurn?()
    }
  }

  /// Somebody waits for it from now on.
  func hurry(_ turn: NodeTurn) {
    guard turn.state == .waiting, !turn.isUrgent else { return }
    leaveLine(turn)
    enter(turn, isUrgent: true)
  }

  /// What waits in it needs no node any more, and so no place.
  func exempt(_ turn: NodeTurn) {
    guard turn.state == .waiting else { return }
    leaveLine(turn)
    turn.state = .exempt
    begin(worksOf: turn)
  }

  // MARK: Places

  private func hasPlace(for session: Session, isUrgent: Bool) -> Bool {
    func share(_ places: Int) -> Int { isUrgent ? places : Limits.watched(places) }
    let own = session.turns.underWay
    return own < share(Limits.ofASession)
      && (own == 0 || underWay - busySessions < share(Limits.common))
  }

  private func enter(_ turn: NodeTurn, isUrgent: Bool) {
    turn.isUrgent = isUrgent
    if hasPlace(for: turn.session, isUrgent: isUrgent) { return begin(turn) }
    turn.state = .waiting
    if !turn.session.turns.isWaiting { waiting.append(turn.session) }
    turn.session.turns.append(turn)
  }

  private func leaveLine(_ turn: NodeTurn) {
    guard turn.state == .waiting else { return }
    turn.state = .idle
    turn.session.turns.remove(turn)
    if !turn.session.turns.isWaiting { waiting.removeAll { $0 === turn.session } }
  }

  private func begin(_ turn: NodeTurn) {
    turn.state = .going
    underWay += 1
    if turn.session.turns.underWay == 0 { busySessions += 1 }
    turn.session.turns.underWay += 1
    if let onTurn = turn.onTurn { onTurn() } else { begin(worksOf: turn) }
  }

  private func begin(worksOf turn: NodeTurn) {
    let works = turn.works
    turn.works = []
    turn.worksUnderWay += works.count
    for work in works {
      Task {
        await work()
        turn.worksUnderWay -= 1
        if turn.worksUnderWay == 0 { end(turn) }
      }
    }
  }

  private func end(_ turn: NodeTurn) {
    let hadPlace = turn.state == .going
    turn.state = .idle
    guard hadPlace else { return }
    underWay -= 1
    turn.session.turns.underWay -= 1
    if turn.session.turns.underWay == 0 { busySessions -= 1 }
    giveOut()
  }

  /// Whoever has waited the longest has the place that is free.
  private func giveOut() {
    var served: [Session] = []
    var others: [Session] = []
    for session in waiting {
      if let turn = session.turns.next, hasPlace(for: session, isUrgent: turn.isUrgent) {
        session.turns.remove(turn)
        begin(turn)
        served.append(session)
      } else {
        others.append(session)
      }
    }
    waiting = (others + served).filter { $0.turns.isWaiting }
  }
}

/// One that asks a node: a request that is read, for everybody who wants that, or a single call.
@LoopActor final class NodeTurn {
  fileprivate enum State { case idle, waiting, going, exempt }

  fileprivate let session: Session
  fileprivate var state = State.idle
  /// Somebody waits for what comes of it.
  fileprivate var isUrgent = false
  /// Called when it has its place, in place of the works.
  fileprivate let onTurn: (@LoopActor () -> Void)?
  /// What is to be done in it and has not begun, and how much has.
  fileprivate var works: [@LoopActor () async -> Void] = []
  fileprivate var worksUnderWay = 0

  init(of session: Session, onTurn: (@LoopActor () -> Void)? = nil) {
    self.session = session
    self.onTurn = onTurn
  }

  var isWaiting: Bool { state == .waiting }
}

/// A session's calls to its node that are under way, and who waits for a turn.
struct SessionTurns {
  fileprivate(set) var underWay = 0
  private var urgent: [NodeTurn] = []
  private var watched: [NodeTurn] = []

  var isWaiting: Bool { !urgent.isEmpty || !watched.isEmpty }
  var inLine: Int { urgent.count + watched.count }

  fileprivate var all: [NodeTurn] { urgent + watched }
  fileprivate var next: NodeTurn? { urgent.first ?? watched.first }

  @LoopActor fileprivate mutating func append(_ turn: NodeTurn) {
    if turn.isUrgent { urgent.append(turn) } else { watched.append(turn) }
  }

  @LoopActor fileprivate mutating func remove(_ turn: NodeTurn) {
    if turn.isUrgent {
      urgent.removeAll { $0 === turn }
    } else {
      watched.removeAll { $0 === turn }
    }
  }
}
