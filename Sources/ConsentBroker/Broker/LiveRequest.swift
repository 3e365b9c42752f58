import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent

/// A request that nothing has ended yet, as memory has it.
@LoopActor final class LiveRequest {
  let session: Session
  /// Bytes of what it is made of, beyond what each has for itself.
  let commonBytes: Int
  /// As it was written last.
  var row: RequestRow { didSet { shown = nil } }
  /// What its row looked like when somebody asked last.
  var shown: Shown?
  /// When its time is over. On CLOCK_BOOTTIME, so that setting the clock ends nothing.
  var deadline: BootInstant
  let endSource: EndSource
  /// Computed from a date by the wall clock, and not confirmed by the node's yet: nothing ends by it.
  var deadlineIsByWallClock: Bool
  var unheard: UnheardTime
  let beganAt = BootInstant.now
  /// It has ended, and is in no index any more.
  var isOver = false

  /// The node's answer that is being waited for. Whoever comes in the meantime shares it.
  var reading: Reading?
  var readsBegun = 0
  /// To read it.
  let turn: NodeTurn
  var lastReadAt = BootInstant.now
  /// `nil` where the last read was answered, and where tokens are all that is missing.
  var readFailure: ReadFailure? { didSet { shown = nil } }
  /// The node asked not to be asked before; a return of the person's asks all the same.
  var notBefore = BootInstant.now

  /// Ends of other kinds that are on their way to the disk: a verdict that it does not take
  /// meanwhile is not told, since they may be first.
  var endsUnderWay = 0
  /// A verdict that the disk has not taken yet.
  var unwritten: Verdict? { didSet { shown = nil } }
  /// It had one for which there was no room: its node has it still.
  var isLeftToNode = false
  /// The row as it was written, or as its app was told since.
  var current: RequestRow { unwritten?.told ?? row }
  var endIsTold: Bool { isOver || unwritten?.told != nil }

  /// Verdicts that are being found on returns, and when the newest return for it came.
  var judgings: [ReturnJudging] = []
  /// Whether one is being found on a return that was for this request.
  var isReturnedTo: Bool { judgings.contains { $0.namedIt } }
  /// Calls of its app that wait for one.
  var returnCalls = 0
  var newestReturnAt = BootInstant.now
  /// What the last return met, for its page; the record follows at its own pace.
  var refusal: ConsentError.Code?
  var refusalNotedAt: BootInstant?
  /// From the URL handler, for the app that hears of this return.
  var activationToken: ActivationToken?
  /// Pages that wait for a verdict.
  var pages: [Waiter] = []

  var schedule = WatchSchedule()
  /// The watcher looks at it, and is to look again at once.
  var isWatched = false
  var isHurried = false
  /// For when it was hurried last.
  var hurriedAt: BootInstant?
  let timer = LoopTimer()

  init(
    _ row: RequestRow, of session: Session, deadline: BootInstant, by endSource: EndSource
  ) {
    self.row = row
    self.session = session
    turn = NodeTurn(of: session)
    commonBytes = OpenRequestMemory.common(row.requestId, row.url, row.code)
    self.deadline = deadline
    self.endSource = endSource
    deadlineIsByWallClock = endSource != .nodeClock
    unheard = UnheardTime(before: .seconds(row.unheard))
    if deadlineIsByWallClock { unheard.goesOn() }
  }

  var number: Int64 { row.number }
  var kind: ConsentKind? { ConsentKind(rawValue: row.kind) }

  /// It is good once.
  func takeActivationToken() -> ActivationToken? {
    defer { activationToken = nil }
    return activationToken
  }

  func wakePages() { for page in pages { page.signal() } }

  /// One call to the node, by everybody who waits for it.
  struct Reading {
    /// How many reads had begun with this one.
    let number: Int
    /// The node is being asked.
    var isAsking = false
    let task: Task<Look, Never>
  }

  /// A view, and all that it depends on besides the row.
  struct Shown {
    let view: SharedView
    let needsSession: Bool
    let port: UInt16?
  }

  /// How a request ends, with the part that only memory may hold.
  struct Verdict {
    var ending: RequestEnding
    let outcome: ConsentOutcome?
    /// Why the disk did not take it; `nil` before the first try.
    var obstacle: String?
    /// The row as it will be written, once the app was told of it.
    var told: RequestRow?

    /// Bytes of an outcome that is long, 0 of all others.
    var longBytes: Int {
      let bytes =
        if case .inviteCreated(let token)? = outcome {
          token.utf8.count
        } else {
          ending.outcome?.byteCount ?? 0
        }
      return bytes > BrokerLimits.listedOutcome ? bytes : 0
    }
  }
}

/// What one look at a request found.
enum Look: Sendable {
  case final(RequestRow)
  case refused(ConsentError)
}

/// The undecided requests, by everything that they are asked for.
@LoopActor struct LiveRequests {
  private var byNumber: [Int64: LiveRequest] = [:]
  private var byTicket: [OpaqueID: LiveRequest] = [:]
  private var byId: [OpaqueID: [LiveRequest]] = [:]
  /// In the order in which they began.
  private var bySession: [ObjectIdentifier: [LiveRequest]] = [:]

  init() {}

  var count: Int { byNumber.count }
  /// Bytes of what they are made of, beyond what each has for itself.
  private(set) var commonBytes = 0
  var all: [LiveRequest] { byNumber.values.sorted { $0.number < $1.number } }
  /// Those whose verdicts the disk did not take, oldest first.
  var unwritten: [LiveRequest] {
    byNumber.values.filter { $0.unwritten?.obstacle != nil }.sorted { $0.number < $1.number }
  }

  /// Bytes of the long outcomes that the disk did not take.
  var unwrittenBytes: Int {
    byNumber.values.reduce(0) { bytes, request in
      guard let verdict = request.unwritten, verdict.obstacle != nil else { return bytes }
      return bytes + verdict.longBytes
    }
  }

  mutating func add(_ live: LiveRequest) {
    byNumber[live.number] = live
    commonBytes += live.commonBytes
    byTicket[OpaqueID(live.row.ticket)] = live
    byId[OpaqueID(live.row.requestId), default: []].append(live)
    bySession[ObjectIdentifier(live.session), default: []].append(live)
    live.session.undecided += 1
    live.session.openBytes += live.commonBytes
  }

  mutating func remove(_ live: LiveRequest) {
    guard byNumber.removeValue(forKey: live.number) != nil else { return }
    commonBytes -= live.commonBytes
    byTicket[OpaqueID(live.row.ticket)] = nil
    let id = OpaqueID(live.row.requestId)
    byId[id]?.removeAll { $0 === live }
    if byId[id]?.isEmpty == true { byId[id] = nil }
    let session = ObjectIdentifier(live.session)
    bySession[session]?.removeAll { $0 === live }
    if bySession[session]?.isEmpty == true { bySession[session] = nil }
    live.session.undecided -= 1
    live.session.openBytes -= live.commonBytes
  }

  func of(ticket: String) -> LiveRequest? { byTicket[OpaqueID(ticket)] }

  /// Of any session: an id is unique for one node only.
  func of(requestId: String) -> [LiveRequest] { byId[OpaqueID(requestId)] ?? [] }

  func of(requestId: String, session: Session) -> LiveRequest? {
    for request in of(requestId: requestId) where request.session === session { return request }
    return nil
  }

  func of(number: Int64) -> LiveRequest? { byNumber[number] }

  /// In the order in which they began.
  func of(session: Session) -> [LiveRequest] { bySession[ObjectIdentifier(session)] ?? [] }
}
