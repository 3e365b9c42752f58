import EventLoop
import FoundationEssentials
import Glibc
import MeroConsent

// A disk that is full, or cannot be written. New requests are refused before a node is asked. The
// verdicts of those that run are kept until they can be written, and a decision is told meanwhile:
// it is the node's own, so that nothing else can come of reading it again. Before it is told it is
// in the runtime directory, so that a crash does not take it back either. Every other end
// (expired, replaced) is a conclusion of this daemon's, which another read might not come to, and
// waits for the ledger.

extension Broker {
  /// Before something new is written: where the last write failed, whether that is so still.
  func checkRecordCanGrow() async throws(ConsentError) {
    guard health == .readOnly else { return }
    _ = await mending.now()
    if let obstacle { throw Self.cannotWrite(obstacle) }
  }

  /// Keeps a verdict that the ledger did not take, and tells it where that is safe.
  func postpone(_ request: LiveRequest, because error: ConsentError) -> Look {
    guard !request.isOver, let verdict = request.unwritten else { return .final(request.row) }
    guard verdict.obstacle != nil || hasRoom(for: verdict) else {
      // Nobody has heard of it.
      (request.unwritten, request.isLeftToNode) = (nil, true)
      return .refused(error)
    }
    request.unwritten?.obstacle = obstacle ?? error.advice
    // Its app learns why it waits.
    if request.unwritten?.obstacle != verdict.obstacle {
      waits.signal(request.row.requestId, of: request.session.id)
    }
    keepAndTell(verdict.ending, of: request)
    if let told = request.unwritten?.told { return .final(told) }
    return .refused(error)
  }

  /// Whether its outcome can be kept in memory until the disk takes it.
  private func hasRoom(for verdict: LiveRequest.Verdict) -> Bool {
    let bytes = verdict.longBytes
    return bytes == 0 || live.unwrittenBytes + bytes <= BrokerLimits.unwrittenOutcomes
  }

  /// A return has met a decision that waits for the disk.
  ///
  /// - Returns: `nil` where nothing of this number does.
  func noteReturn(ofUnwritten number: Int64, code: String) -> RequestRow? {
    guard let request = live.of(number: number), let verdict = request.unwritten,
      verdict.told != nil
    else { return nil }
    var ending = verdict.ending
    ending.lastReturn = LastReturn(at: tools.now().asKept, code: code)
    keepAndTell(ending, of: request)
    return request.current
  }

  /// Into the runtime directory first. What that does not take is not told.
  private func keepAndTell(_ ending: RequestEnding, of request: LiveRequest) {
    let before = request.unwritten?.told
    let isNews = before == nil || before?.lastReturn != ending.lastReturn
    guard ending.state.isDecision, let notes = tools.verdictNotes,
      isNews || !notes.has(request.number),
      before != nil || request.endsUnderWay + request.session.endsUnderWay == 0
    else { return }
    do {
      let revision = isNews ? request.current.revision + 1 : request.current.revision
      try notes.keep(VerdictNote(request.row, ending, revision: revision))
    } catch {
      noteFault = "cannot keep a verdict in \(notes.directory): \(error)"
      return
    }
    guard isNews else { return }
    let told = Self.told(request.current, ending)
    request.unwritten?.ending = ending
    request.unwritten?.told = told
    tell(told, of: request, isFirst: before == nil)
  }

  /// The row as it will be written.
  private static func told(_ row: RequestRow, _ ending: RequestEnding) -> RequestRow {
    var told = row
    (told.state, told.finishedAt, told.outcome) = (ending.state, ending.at, ending.outcome)
    told.lastReturn = ending.lastReturn ?? row.lastReturn
    told.revision += 1
    return told
  }

  private func tell(_ told: RequestRow, of request: LiveRequest, isFirst: Bool) {
    let session = request.session
    if isFirst, let outcome = request.unwritten?.outcome, outcome.isSecret {
      session.keep(outcome, of: told.number)
    }
    var event = BrokerEvent(
      sequence: 0, requestId: told.requestId, state: told.state, lastReturn: told.lastReturn)
    event.activationToken = request.takeActivationToken()
    session.events.publishUnrecorded(event, of: told.number)
    waits.signal(told.requestId, of: session.id)
    request.wakePages()
    recentEnds.note(told.state)
    guard isFirst else { return }
    log.warning(
      "request decided, and not written down yet", .request(told.requestId), .session(session.id),
      .code(told.state.rawValue))
    onFinished?(told.kind, told.state, session.row.package)
    onCountsChanged?()
  }

  func forgetNote(of request: LiveRequest) {
    tools.verdictNotes?.forget(request.number)
  }

  /// What a request's own session is told beside its state.
  static func detail(_ verdict: LiveRequest.Verdict) -> String? {
    guard let obstacle = verdict.obstacle else { return nil }
    return verdict.told != nil
      ? "The decision is the node's. It is not written down yet: \(obstacle). The service does so as "
        + "soon as it can."
      : "The service knows how this request ends, and tells it as soon as it can write it down: "
        + "\(obstacle)."
  }

  // MARK: Writing again

  /// Whether a new request would be refused shows before somebody tries.
  func lookForRoom() {
    guard health == .ok, let room = ledgerIfAny?.room else { return }
    let now = BootInstant.now
    if let last = lookedForRoomAt, now - last < .seconds(1) { return }
    lookedForRoomAt = now
    do { try room.check() } catch { recordIsUnwritable(error) }
  }

  /// Writes what waits, and looks whether there is room for something new.
  ///
  /// - Returns: whether nothing waits any more, and there is.
  func mend() async -> Bool {
    guard let ledger = ledgerIfAny else { return true }
    if notesAreUnread { recoverUnwritten() }
    await writeUnwritten()
    do {
      try await ledger.proveWritable()
    } catch {
      recordIsUnwritable(error)
      return false
    }
    guard live.unwritten.isEmpty else { return false }
    recordIsWritable()
    for request in live.all where request.isLeftToNode {
      request.isLeftToNode = false
      watcher.hurry(request)
    }
    applyAgain()
    return !notesAreUnread
  }

  /// The last chance, as the daemon ends. What it does not take is read from the node again.
  func writeLast() async {
    guard !live.unwritten.isEmpty else { return }
    await writeUnwritten()
    let count = live.unwritten.count
    guard count > 0 else { return }
    log.error(
      "\(count) verdicts could not be written; the next start tries again, or reads them again "
        + "from the node", .event(.recordNotWritten))
  }

  /// All at once, so that they share a commit.
  private func writeUnwritten() async {
    let looks = live.unwritten.map { request in Task { await look(at: request) } }
    for look in looks { _ = await look.value }
  }

  /// Takes up what a former run had told and could not write.
  func recoverUnwritten() {
    guard let notes = tools.verdictNotes else { return }
    let (all, fault) = notes.all()
    if let fault { noteFault = "cannot read all of \(notes.directory): \(fault)" }
    notesAreUnread = fault?.mayPass ?? false
    if notesAreUnread { mending.begin() }
    for note in all {
      guard let request = live.of(number: note.number), request.session.id == note.session,
        OpaqueID(request.row.requestId) == OpaqueID(note.requestId), let ending = note.ending
      else {
        // It was written, and only the note was left.
        notes.forget(note.number)
        continue
      }
      guard request.unwritten == nil else { continue }
      guard request.endsUnderWay + request.session.endsUnderWay == 0 else {
        // Which of the two is first shows at the next try.
        notesAreUnread = true
        mending.begin()
        continue
      }
      var told = Self.told(request.row, ending)
      // Its reason to wait is another one now: not the version that was told, and none before it.
      told.revision = max(told.revision, (note.revision ?? told.revision) + 1)
      request.unwritten = LiveRequest.Verdict(
        ending: ending, outcome: ending.outcome?.outcome,
        obstacle: "the service was started again meanwhile", told: told)
      request.timer.disarm()
      tell(told, of: request, isFirst: false)
      mending.begin()
    }
  }

  // MARK: Lists

  /// A page of the ledger's rows, as their session has been told them since.
  func withUnwritten(
    _ rows: [RequestRow], of session: Session, state: RequestState?, limit: Int, before: Int64?
  ) -> [RequestRow] {
    let told = live.unwritten.filter { $0.session === session && $0.unwritten?.told != nil }
      .map(\.current)
    guard !told.isEmpty else { return rows }
    let numbers = Set(told.map(\.number))
    // Below the last row of a full page there may be rows that are not here yet.
    let end = rows.count == limit ? rows.last?.number ?? 0 : 0
    let added = told.filter { row in
      (state == nil || row.state == state) && row.number < before ?? .max && row.number >= end
    }
    let merged = rows.filter { !numbers.contains($0.number) } + added
    return Array(merged.sorted { $0.number > $1.number }.prefix(limit))
  }
}

extension RequestState {
  /// The node's own word.
  var isDecision: Bool { self == .approved || self == .declined }
}

extension SystemError {
  /// Whether the same call may succeed later, with nothing changed by a person.
  var mayPass: Bool { [EMFILE, ENFILE, ENOMEM, EIO, EINTR].contains(code) }
}
