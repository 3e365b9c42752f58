import EventLoop
import FoundationEssentials
import MeroConsent

// When the time of a request is over. That is the node's to say: what the daemon asked for itself it
// knows from the answer's `Date`, and goes by CLOCK_BOOTTIME from there. Of what comes from a date
// (the record after a restart, a request that its app asked for) the wall clock says only when it
// seems to be over, and the next answer with a `Date` whether it is.

extension LiveRequest {
  /// How it is known when its time is over.
  enum EndSource {
    /// From the node's `Date`, in this run.
    case nodeClock
    /// From the record, as an earlier run knew it.
    case record
    /// From a date alone: an app's, or that of a node which told no time.
    case givenDate
  }

  /// Where its time stood when the node was read, or was to be; counts how long that is in vain.
  ///
  /// - Parameter began: when the read did.
  func time(of reading: MeroClient.Reading, begun began: BootInstant) -> ReadJudgement.Time {
    guard let time = knownTime(of: reading, begun: began) else {
      unheard.goesOn()
      return patienceLeft > .zero ? .running : .givenUp
    }
    guard time == .over else {
      unheard = UnheardTime()
      return time
    }
    unheard.goesOn()
    return patienceLeft > .zero ? .over : .givenUp
  }

  /// - Returns: `nil` where only a wall clock that may be wrong says anything.
  private func knownTime(
    of reading: MeroClient.Reading, begun began: BootInstant
  ) -> ReadJudgement.Time? {
    if endSource != .nodeClock, let date = reading.nodeDate, let end = endByNode {
      return Self.time(left: .seconds(end.timeIntervalSince(date)))
    }
    // A node that tells no time leaves this machine's clock as the only one. Nobody else does.
    guard !deadlineIsByWallClock || reading.isOfTheNode else { return nil }
    return Self.time(left: deadline - began)
  }

  /// How long the node is still asked in vain, in time awake. A request whose end nobody knows may
  /// have its whole life before it.
  var patienceLeft: Duration {
    let longest = deadlineIsByWallClock ? Duration.seconds(BrokerLimits.longestLifetime) : .zero
    return longest + ReadJudgement.patience - unheard.total
  }

  /// When to look again at a request that cannot be asked about, for it to end at some time.
  func lastLook(at now: BootInstant) -> BootInstant {
    unheard.isCounted ? now + patienceLeft : deadline
  }

  private static func time(left: Duration) -> ReadJudgement.Time {
    left > ReadJudgement.lastMoment ? .running : left > .zero ? .ending : .over
  }

  private var endByNode: Date? { row.nodeExpiresAt ?? row.expiresAt }

  /// The node has told the time. Where the deadline was only the wall clock's, or seems to be over
  /// and is not, it is computed from that.
  ///
  /// - Returns: whether what is recorded of the end has to change.
  func keepEnd(byNode date: Date, at began: BootInstant) -> Bool {
    guard endSource != .nodeClock, deadlineIsByWallClock || began >= deadline,
      let end = endByNode
    else { return false }
    // A record of before there was this column: from here on no clock that is set moves its end.
    let isNew = row.nodeExpiresAt == nil
    row.nodeExpiresAt = end
    let left = end.timeIntervalSince(date)
    let given = min(left, BrokerLimits.longestLifetime)
    let isCut = given < left
    if isCut { row.nodeExpiresAt = date.addingTimeInterval(given).asKept }
    let wasCut = row.lifetimeCut
    if isCut || endSource == .givenDate && deadlineIsByWallClock { row.lifetimeCut = isCut }
    let error = (deadline - began) - .seconds(given)
    let wasRight =
      deadlineIsByWallClock && max(error, .zero - error) <= ReadJudgement.lastMoment
    deadlineIsByWallClock = false
    // Where the wall clock agrees as far as can be told, it is the more exact.
    guard !wasRight else { return isCut || isNew || wasCut != row.lifetimeCut }
    // The next `Date` says whether the last of its whole seconds is over.
    deadline = began + .seconds(left > 0 ? max(given, 1) : left)
    return true
  }
}

/// For how long nothing was heard of a request that is over, or may be.
///
/// It is time in which the machine was awake, over all runs of the daemon: what was not tried while it
/// slept is no reason to give up, and no clock that is wrong makes it longer.
struct UnheardTime {
  private let before: Duration
  private var since: AwakeInstant?

  init(before: Duration = .zero) { self.before = before }

  var isCounted: Bool { since != nil }
  var total: Duration { before + (since.map { AwakeInstant.now - $0 } ?? .zero) }

  mutating func goesOn() { since = since ?? .now }
}

extension MeroClient.Reading {
  /// The node has said how the request stands.
  fileprivate var isOfTheNode: Bool {
    switch answer {
    case .success: true
    case .failure(let error): error.code == .replaced
    }
  }
}

extension Broker {
  func keepEnd(of request: LiveRequest, byNode date: Date, at began: BootInstant) {
    if request.keepEnd(byNode: date, at: began) { showEnd(of: request, at: .now) }
  }

  /// Tells and keeps when a request ends by the wall clock as it is now.
  func showEnd(of request: LiveRequest, at now: BootInstant) {
    let left = (request.deadline - now) / .seconds(1)
    let end = tools.now().addingTimeInterval(left).asKept
    // A clock that is put right by little, or was stopped by a suspension, is no news to any app.
    if abs(end.timeIntervalSince(request.row.expiresAt ?? .distantPast)) > Self.shownEndIsRight {
      request.row.expiresAt = end
    }
    waits.signal(request.row.requestId, of: request.session.id)
    keepTime(of: request)
  }

  /// Seconds by which the end that is shown may be off.
  private static let shownEndIsRight = 1.0

  private func keepTime(of request: LiveRequest) {
    request.row.unheard = request.unheard.total.components.seconds
    let row = request.row
    Task { _ = try? await ledgerIfAny?.keepTimes(of: [row]) }
  }

  /// For the next run: what nobody hears of ends at some time, however often the daemon starts. One
  /// write for all: there may be thousands, and a stop has two seconds.
  func keepUnheardTimes() async {
    var changed: [RequestRow] = []
    for request in live.all {
      let unheard = request.unheard.total.components.seconds
      guard request.row.unheard != unheard else { continue }
      request.row.unheard = unheard
      changed.append(request.row)
    }
    _ = try? await ledgerIfAny?.keepTimes(of: changed)
  }

  /// What is left of a lifetime by the wall clock: never more than one has at most.
  func timeLeft(until expiresAt: Date) -> Duration {
    .seconds(min(expiresAt.timeIntervalSince(tools.now()), BrokerLimits.longestLifetime))
  }
}
