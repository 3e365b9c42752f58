import MeroConsent
import Testing

@testable import ConsentBroker

@Suite struct ReadJudgementTests {
  private static func success(_ status: ConsentResult.Status) -> Result<ConsentResult, ConsentError>
  {
    let outcome = status == .approved ? ConsentOutcome.orgCreated(orgId: "o") : nil
    return .success(
      ConsentResult(requestId: "r", kind: .createOrg, status: status, outcome: outcome))
  }

  @Test(arguments: [ReadJudgement.Time.running, .ending, .over, .givenUp])
  func aDecisionIsOneWheneverItComes(_ time: ReadJudgement.Time) {
    #expect(
      ReadJudgement.judge(Self.success(.approved), at: time)
        == .end(.approved, outcome: .orgCreated(orgId: "o"), failure: nil))
    #expect(
      ReadJudgement.judge(Self.success(.declined), at: time)
        == .end(.declined, outcome: nil, failure: nil))
  }

  @Test func pendingIsNotDecidedAndThenExpired() {
    for time in [ReadJudgement.Time.running, .ending] {
      #expect(
        ReadJudgement.judge(Self.success(.pending), at: time) == .stay(ConsentError(.notDecided)))
    }
    for time in [ReadJudgement.Time.over, .givenUp] {
      #expect(
        ReadJudgement.judge(Self.success(.pending), at: time)
          == .end(.expired, outcome: nil, failure: nil))
    }
  }

  /// The node's end comes up to a second before ours: its `Date` has whole seconds.
  @Test func goneInTheLastMomentIsExpiredAndNotReplaced() {
    let gone = Result<ConsentResult, ConsentError>.failure(ConsentError(.replaced))
    #expect(
      ReadJudgement.judge(gone, at: .ending) == .end(.expired, outcome: nil, failure: nil))
  }

  /// A code, and what it means while the time runs, when it is over, and when all is given up.
  @Test(arguments: [
    (ConsentError.Code.replaced, "replaced", "expired", "expired"),
    (.resultInvalid, "stay", "failed", "failed"),
    (.nodeUnreachable, "stay", "stay", "failed"),
    (.nodeError, "stay", "stay", "failed"),
    (.nodeUntrusted, "stay", "stay", "failed"),
    (.sessionExpired, "stay", "stay", "failed"),
    (.cancelled, "nothing", "nothing", "nothing"),
  ])
  func errorsMean(_ code: ConsentError.Code, _ running: String, _ over: String, _ givenUp: String) {
    let times: [(ReadJudgement.Time, String)] = [
      (.running, running), (.over, over), (.givenUp, givenUp),
    ]
    for (time, expected) in times {
      let judgement = ReadJudgement.judge(.failure(ConsentError(code)), at: time)
      let word =
        switch judgement {
        case .end(let state, _, let failure):
          failure == nil || failure == code ? state.rawValue : "another failure"
        case .stay(let error): error.code == code ? "stay" : "another error"
        case .nothing: "nothing"
        }
      #expect(word == expected, "\(code) at \(time)")
    }
  }
}
