import FoundationEssentials
import MeroConsent

/// What the node's answer means for a request that nothing has ended yet. Pure, so that each
/// row of the table is a test.
enum ReadJudgement: Equatable {
  /// The request ends so.
  case end(RequestState, outcome: ConsentOutcome?, failure: ConsentError.Code?)
  /// It stays undecided, and a return met this.
  case stay(ConsentError)
  /// The answer says nothing: the session was closed meanwhile.
  case nothing

  /// Where the time of a request stands at the moment at which a read began.
  enum Time {
    case running
    /// The last moment. The node's end may be here already, since its `Date`, by which we know
    /// how long a request lasts, has whole seconds: gone means expired, pending may still change.
    case ending
    /// `expiresAt` is over: an answer now is the last word.
    case over
    /// Even the time for trying again is over.
    case givenUp
  }

  /// One second of the `Date` field, and half a second for an answer on its way.
  static let lastMoment: Duration = .seconds(StartedCheck.lastMoment)

  /// How long a node that does not answer is asked about a request whose time is over, in time in
  /// which the machine was awake.
  static let patience: Duration = .hours(24)

  static func judge(_ answer: Result<ConsentResult, ConsentError>, at time: Time) -> ReadJudgement {
    switch answer {
    case .success(let result):
      switch result.status {
      case .approved: return .end(.approved, outcome: result.outcome, failure: nil)
      case .declined: return .end(.declined, outcome: nil, failure: nil)
      case .pending:
        switch time {
        case .running, .ending: return .stay(ConsentError(.notDecided))
        case .over, .givenUp: return .end(.expired, outcome: nil, failure: nil)
        }
      }
    case .failure(let error):
      return judge(error, at: time)
    }
  }

  private static func judge(_ error: ConsentError, at time: Time) -> ReadJudgement {
    switch error.code {
    case .replaced:
      return .end(time == .running ? .replaced : .expired, outcome: nil, failure: nil)
    case .cancelled: return .nothing
    case .resultInvalid where time == .over || time == .givenUp:
      return .end(.failed, outcome: nil, failure: error.code)
    case _ where time == .givenUp: return .end(.failed, outcome: nil, failure: error.code)
    default: return .stay(error)
    }
  }

  static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.end(let state, let outcome, let failure), .end(let other, let its, let code)):
      state == other && outcome == its && failure == code
    case (.stay(let error), .stay(let other)): error == other
    case (.nothing, .nothing): true
    default: false
    }
  }
}
