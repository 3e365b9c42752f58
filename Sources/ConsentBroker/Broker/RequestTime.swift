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

  /// Where its time stood when the node was read.
  ///
  /// - Parameter began: when the read did.
  func time(of reading: MeroClient.Reading, begun began: BootInstant) -> ReadJudgement.Time {
    if endSource != .nodeClock, let date = reading.nodeDate, let end = endByNode {
      return Self.time(left: .seconds(end.timeIntervalSince(date)))
    }
    let left = deadline - began
    guard deadlineIsByWallClock else {
      return left <= .zero - ReadJudgement.patience ? .givenUp : Self.time(left: left)
    }
    // A node that tells no time leaves this machine's clock as the only one. Nobody else does.
    return reading.isOfTheNode ? Self.time(left: left) : .running
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
    let left = end.timeIntervalSince(date)
    let given = min(left, BrokerLimits.longestLifetime)
    let isCut = given < left
    if isCut { row.nodeExpiresAt = date.addingTimeInterval(given).asKept }
    if isCut || endSource == .givenDate && deadlineIsByWallClock { row.lifetimeCut = isCut }
    let error = (deadline - began) - .seconds(given)
    let wasRight =
      deadlineIsByWallClock && max(error, .zero - error) <= ReadJudgement.lastMoment
    deadlineIsByWallClock = false
    // Where the wall clock agrees as far as can be told, it is the more exact.
    guard !wasRight else { return isCut }
    // The next `Date` says whether the last of its whole seconds is over.
    deadline = began + .seconds(left > 0 ? max(given, 1) : left)
    return true
  }
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
    request.row.expiresAt = tools.now().addingTimeInterval(left).asKept
    let row = request.row
    Task { _ = try? await ledgerIfAny?.moveExpiry(to: row) }
  }
}
