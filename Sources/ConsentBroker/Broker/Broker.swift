import Callback
package import EventLoop
import FoundationEssentials
import HTTP
package import MeroConsent

/// The one place where it is decided who may read what and what a return means.
///
/// Everything that an app, an event stream or a page is told was written before: to the ledger, or,
/// while its disk takes nothing, to the runtime directory (`Broker+Unwritten`). Calls that take a `Caller` see that session's requests and no others (`Problem.notFound`). Every call
/// throws `.consent` with `CONFIGURATION_INVALID` or `STATE_UNAVAILABLE` while the daemon
/// could only start to say so, and `.stopping` once it ends.
@LoopActor package final class Broker {
  private(set) var settings: BrokerSettings
  let tools: BrokerTools
  let log: Log
  /// `nil` in a daemon that could only start to say what is wrong.
  private let record: Result<Ledger, ConsentError>
  private let stateReset: Bool
  private let startedAt: Date
  private let bootedAt = BootInstant.now

  /// Where the callback listens; set before the first node learns of it.
  package var callback: CallbackAddress?
  /// Told of each request that was decided or otherwise ended, once, when its app may be told.
  package var onFinished:
    (@LoopActor (_ kind: String, _ state: RequestState, _ package: String) -> Void)?
  /// Told after a session or an undecided request came or went.
  package var onCountsChanged: (@LoopActor () -> Void)?

  /// The last status that was asked for, and what the edge has made of it.
  var shownStatus: (view: StatusView, reply: HTTPReply)?

  let vault = SessionVault()
  let views = ViewTickets()
  var live = LiveRequests()
  var recent = RecentRequests()
  /// Rows that are `starting` because a node is being asked now, not because of a crash.
  var startingNow: Set<Int64> = []
  /// Rows that a crash left `starting`, by when they began.
  var leftStarting: [Int64: Date] = [:]
  /// The releases that the configuration trusts.
  var releases: [TrustedRelease] = []
  /// Its sessions, by what their names begin with.
  var configured: [String: ConfiguredSession] = [:]
  var configuredPlaces: ConfiguredPlaces?
  let configurationTurns = ConfigurationTurns()
  /// What the disk kept from being done as the configuration says.
  var unapplied: ConfigurationTurns.Reading?
  var openingsUnderWay = 0
  /// Verdicts on returns that are being found, and reads of nodes.
  var judgingsUnderWay = 0 { didSet { callsEnd.countChanged(to: callsUnderWay) } }
  var readsUnderWay = 0 { didSet { callsEnd.countChanged(to: callsUnderWay) } }
  /// Starts that ask their nodes, of all sessions.
  var startsUnderWay = 0 { didSet { callsEnd.countChanged(to: callsUnderWay) } }
  var openRequestMemory = OpenRequestMemory()
  private var callsUnderWay: Int { judgingsUnderWay + readsUnderWay + startsUnderWay }
  private let callsEnd = BurstEnd()
  /// Returns that name a request which is not undecided here, while the ledger is asked.
  var lookupsUnderWay = 0
  /// Verdicts on returns that name nothing, two at most.
  var nameless: [NamelessJudging] = []
  var recentEnds = RecentEnds()
  /// When the log told last of a return through the URL handler.
  var returnLoggedAt: BootInstant?
  var eventStreams = 0
  /// Lists that are read and worded at the same time: each takes many times what is sent of it.
  let lists = Turnstile<String>(places: 4)
  /// Reads that the ledger has at a time: enough to keep it busy, and no more, as whatever is written
  /// waits for them.
  let reads = Turnstile<RecordReader>(places: 2)
  /// Reads of invite tokens that memory has lost, by their requests' numbers.
  var rereads: [Int64: SharedWork<ConsentError?>] = [:]
  var agreedTime = AgreedTime()
  /// Some that a former run told and could not write could not be read yet.
  var notesAreUnread = false
  /// What is wrong with where they are kept, said once.
  var noteFault: String? {
    didSet { if let noteFault, noteFault != oldValue { log.warning(noteFault) } }
  }
  private(set) var isStopping = false
  private(set) var health = StateHealth.ok
  private(set) lazy var waits = WaitRoom { [weak self] group in await self?.tell(group) }
  /// Why the ledger cannot be written, where it cannot.
  private(set) var obstacle: String?
  private var obstacleLoggedAt: BootInstant?
  var lookedForRoomAt: BootInstant?
  private(set) lazy var mending = RecordMending { [weak self] in await self?.mend() ?? true }
  let nodeTurns = NodeTurns()
  private(set) lazy var watcher = Watcher(
    nodeTurns,
    isAwaited: { [weak self] request in
      guard let self else { return false }
      return waits.isAwaited(request.row.requestId, of: request.session)
        || request.session.streams > 0
    },
    look: { [weak self] request in _ = await self?.look(at: request) })
  private(set) lazy var housekeeping = Housekeeping(self)

  /// - Parameter stateReset: whether a damaged database was set aside at this start.
  package init(
    ledger: Ledger, settings: BrokerSettings, tools: BrokerTools, log: Log, stateReset: Bool
  ) {
    record = .success(ledger)
    self.settings = settings
    self.tools = tools
    self.log = log
    self.stateReset = stateReset
    startedAt = tools.now()
  }

  /// A broker that answers every call with `error`, for a daemon that was woken and cannot work.
  package init(
    unavailable error: ConsentError, settings: BrokerSettings, tools: BrokerTools, log: Log
  ) {
    record = .failure(error)
    self.settings = settings
    self.tools = tools
    self.log = log
    stateReset = false
    startedAt = tools.now()
    health = .unavailable
  }

  // MARK: The state of the broker itself

  /// The ledger, as long as calls are taken.
  func ledger() throws(Problem) -> Ledger {
    guard !isStopping else { throw .stopping }
    switch record {
    case .success(let ledger): return ledger
    case .failure(let error): throw .consent(error, requestId: nil)
    }
  }

  /// Says what is wrong before a call's body is judged: a caller who is told of a wrong field
  /// would mend the wrong thing.
  package func checkAvailable() throws(Problem) { _ = try ledger() }

  /// The ledger for work that goes on while the daemon ends.
  var ledgerIfAny: Ledger? { try? record.get() }

  /// Runs a call of the ledger, and remembers where it could not write.
  func recorded<R: Sendable>(
    _ call: () async throws(LedgerError) -> R
  ) async throws(ConsentError) -> R {
    do {
      return try await call()
    } catch {
      recordIsUnwritable(error)
      throw Self.cannotWrite(error.sentence, cause: error)
    }
  }

  static func cannotWrite(_ sentence: String, cause: LedgerError? = nil) -> ConsentError {
    ConsentError(
      .stateUnavailable,
      advice: "The service cannot write its record of requests: \(sentence). "
        + "Nothing was lost that was told; mend it and try again.",
      cause: cause)
  }

  /// The ledger could not be written. It is tried again until it can.
  func recordIsUnwritable(_ error: LedgerError) {
    let isNews = health == .ok || obstacle != error.sentence
    (health, obstacle) = (.readOnly, error.sentence)
    mending.begin()
    guard isNews else { return }
    onCountsChanged?()
    // A disk that is full and not full by turns fills no journal.
    if let last = obstacleLoggedAt, BootInstant.now - last < Self.obstacleInterval { return }
    obstacleLoggedAt = .now
    log.error(
      "cannot write the record of requests: \(error.sentence)", .event(.recordNotWritten))
  }

  private static let obstacleInterval: Duration = .minutes(1)

  /// The ledger has proved that it can be written.
  func recordIsWritable() {
    guard health == .readOnly else { return }
    (health, obstacle) = (.ok, nil)
    log.info("the record of requests can be written again")
    onCountsChanged?()
  }

  package func status() -> StatusView {
    var ofApps = 0
    var attestations: Set<NodeAttestation> = []
    // By address. One session that cannot read its node is enough to look after that.
    var nodes: [String: Bool] = [:]
    for session in vault.all {
      if !session.isConfigured { ofApps += 1 }
      if let isReachable = session.nodeIsReachable {
        nodes[session.row.nodeURL] = isReachable && nodes[session.row.nodeURL] != false
      }
      if let attestation = session.client?.lastAttestation { attestations.insert(attestation) }
    }
    // Also after a start on a disk that has room, until what was told before is written.
    let unwritten = mending.isUnderWay ? live.unwritten.count : 0
    let reachable = nodes.values.count { $0 }
    return StatusView(
      version: settings.version, startedAt: startedAt,
      uptimeSeconds: Int((BootInstant.now - bootedAt).components.seconds),
      callbackIPv4: callback?.ipv4, callbackIPv6: callback?.ipv6, sessions: vault.count,
      undecidedRequests: live.count - unwritten, waits: waits.count, eventStreams: eventStreams,
      configuredSessions: vault.count - ofApps, releases: releases.map(\.name),
      nodesReachable: reachable, nodesUnreachable: nodes.count - reachable,
      attestations: attestations.sorted {
        ($0.verifiedAt, $0.image) > ($1.verifiedAt, $1.image)
      }, state: health, stateReset: stateReset, obstacle: obstacle, unwritten: unwritten)
  }

  /// Whether nothing would be lost if the daemon went to sleep: no app's session, nothing
  /// undecided, nobody who waits. The configuration's sessions are read again on waking.
  package var isIdle: Bool {
    live.count == 0 && waits.count == 0 && eventStreams == 0
      && judgingsUnderWay + lookupsUnderWay + openingsUnderWay == 0
      && !vault.all.contains { $0.keepsAwake || $0.isBusy }
  }

  /// Takes over settings that were read again. What is under way goes on with the former ones, and
  /// so do the calls of open sessions to their nodes.
  package func apply(_ settings: BrokerSettings) {
    self.settings = settings
    housekeeping.plan()
  }

  // MARK: Beginning and end

  /// Reads what an earlier run left: sessions without their tokens, requests undecided.
  package func restore() async throws(Problem) {
    await cancelLeftBehind()
    let (sessions, undecided, sequence) = try await read(for: nil) { ledger throws(LedgerError) in
      (
        try await ledger.openSessions(), try await ledger.undecided(),
        try await ledger.lastSequence()
      )
    }
    let now = BootInstant.now
    for row in sessions {
      let session = Session(row, trust: StoredTrust.read(row.trust), eventsAfter: sequence)
      let timeout = settings.sessionTimeout / .seconds(1)
      // The clock may not be right yet.
      let unused = min(unused(session), max(0, timeout - SessionVault.touchInterval))
      session.usedAt = .now + .seconds(-unused)
      session.useIsByWallClock = true
      vault.add(session)
    }
    recoverTokens()
    for row in undecided {
      guard let session = vault.session(id: row.session) else { continue }
      guard row.state == .started, let expiresAt = row.expiresAt else {
        leftStarting[row.number] = row.createdAt
        continue
      }
      let request = LiveRequest(
        row, of: session, deadline: now + timeLeft(until: expiresAt), by: .record)
      live.add(request)
      watcher.watch(request)
    }
    recoverUnwritten()
    housekeeping.start()
    guard !sessions.isEmpty else { return }
    let open = vault.all.count { !$0.needsTokens }
    log.info("tokens of \(open) sessions came back")
    log.info("read \(sessions.count) sessions and \(undecided.count) undecided requests")
  }

  /// Nothing would ever end what an ended session has left undecided.
  private func cancelLeftBehind() async {
    guard let ledger = ledgerIfAny else { return }
    let (now, detail) = (tools.now(), Self.closedDetail)
    let count = try? await recorded { () async throws(LedgerError) in
      try await ledger.cancelLeftBehind(at: now, detail: detail)
    }
    guard let count, count > 0 else { return }
    log.warning("\(count) undecided requests of sessions that have ended were cancelled")
  }

  /// For how long a session that was read from the record is unused, by the wall clock. Uses are
  /// written down in steps, so the record may be one behind.
  private func unused(_ session: Session) -> TimeInterval {
    max(0, tools.now().timeIntervalSince(session.row.usedAt) - SessionVault.touchInterval)
  }

  /// Ends every wait and stream; calls from now on throw `.stopping`.
  package func stop() {
    isStopping = true
    watcher.stop()
    housekeeping.stop()
    mending.stop()
    callsEnd.stop()
    nodeTurns.turnAway()
    reads.turnAway()
    lists.turnAway()
    waits.signalAll()
    for session in vault.all { session.events.wakeAll() }
  }

  /// How long the end waits for tokens that a node is renewing.
  static let refreshPatience: Duration = .milliseconds(700)

  /// Wipes tokens and keys, ends calls to nodes, and closes the ledger after what it is writing.
  package func close() async {
    // Only where the next process will have them.
    if tools.secrets != nil {
      await vault.refreshesEnd(of: Array(vault.all), until: .now + Self.refreshPatience)
    }
    await vault.closeAll()
    await writeLast()
    await keepUnheardTimes()
    await ledgerIfAny?.close()
  }

  /// The wall clock was set. Requests of this run do not end by that, and no session does; what was
  /// read from a date is computed anew, and every node is asked once.
  package func clockWasSet() {
    let now = BootInstant.now
    for request in live.all {
      if request.deadlineIsByWallClock, let expiresAt = request.row.expiresAt {
        request.deadline = now + timeLeft(until: expiresAt)
      } else {
        showEnd(of: request, at: now)
      }
      watcher.hurry(request)
    }
    for session in vault.all where session.useIsByWallClock {
      session.usedAt = max(session.usedAt, .now + .seconds(-unused(session)))
    }
    housekeeping.plan()
  }
}
