import DevelopmentNode
import Testing

@Suite struct MisbehaviourTests {
  private let everyStage: Set<Misbehaviour.Stage> = [.instead, .answer, .sealing, .wire]

  @Test(arguments: Misbehaviour.allCases)
  func actsOnEachOfItsCallsAndIsThenUsedUp(_ misbehaviour: Misbehaviour) throws {
    for call in misbehaviour.entry.calls {
      var plan = MisbehaviourPlan()
      try plan.add(misbehaviour, on: call)
      let reading = try #require(readings.first { misbehaviour.applies(to: $0) })
      let acts = plan.take([misbehaviour.entry.stage], on: call, reading: reading)
      #expect(acts.map(\.misbehaviour) == [misbehaviour])
      #expect(plan.rules.isEmpty)
    }
  }

  @Test(arguments: Misbehaviour.allCases)
  func isRefusedWhereItHasNothingToSpoil(_ misbehaviour: Misbehaviour) {
    for call in CallName.allCases where !misbehaviour.entry.calls.contains(call) {
      var plan = MisbehaviourPlan()
      #expect(throws: MisbehaviourPlan.Refused.cannotSpoil(call)) {
        try plan.add(misbehaviour, on: call)
      }
    }
  }

  @Test func anAimedRuleLeavesOtherCallsAlone() throws {
    var plan = MisbehaviourPlan()
    try plan.add(.slow, on: .result)
    #expect(plan.take(everyStage, on: .request).isEmpty)
    #expect(plan.take(everyStage, on: .result).has(.slow))
  }

  @Test func aRuleActsAsOftenAsItSays() throws {
    var plan = MisbehaviourPlan()
    try plan.add(.status, skip: 1, times: 2, number: 503)
    let acts = (0..<4).map { _ in plan.take(everyStage, on: .result).first(.status)?.number }
    #expect(acts == [nil, 503, 503, nil])
  }

  @Test func aRuleWithoutACountActsForEver() throws {
    var plan = MisbehaviourPlan()
    try plan.add(.busy, times: nil)
    for _ in 0..<100 { #expect(plan.take(everyStage, on: .handshake).has(.busy)) }
    plan.clear()
    #expect(plan.take(everyStage, on: .handshake).isEmpty)
  }

  @Test func aRuleIsNotSpentOnAnAnswerThatItCannotSpoil() throws {
    var plan = MisbehaviourPlan()
    try plan.add(.missingOutcome)
    #expect(plan.take(everyStage, on: .result, reading: .pending).isEmpty)
    #expect(plan.take(everyStage, on: .result, reading: .approved(hasOutcome: false)).isEmpty)
    #expect(plan.take(everyStage, on: .result, reading: .approved(hasOutcome: true)).count == 1)
  }

  @Test func rulesOfTheSameKindQueueAndOthersActTogether() throws {
    var plan = MisbehaviourPlan()
    try plan.add(.slow, number: 1)
    try plan.add(.slow, number: 2)
    try plan.add(.wrongRequest)
    let first = plan.take(everyStage, on: .result, reading: .pending)
    #expect(first.map(\.misbehaviour) == [.slow, .wrongRequest])
    #expect(first.first(.slow)?.number == 1)
    #expect(plan.take(everyStage, on: .result).first(.slow)?.number == 2)
  }

  @Test func aRuleWaitsForItsStage() throws {
    var plan = MisbehaviourPlan()
    try plan.add(.cutInBody)
    #expect(plan.take([.instead, .answer], on: .result).isEmpty)
    #expect(plan.take([.wire], on: .result).count == 1)
  }

  @Test func standardParametersAreFilledIn() throws {
    var plan = MisbehaviourPlan()
    try plan.add(.bigBody)
    try plan.add(.unknownStatus)
    let acts = plan.take(everyStage, on: .result, reading: .pending)
    #expect(acts.first(.bigBody)?.number == 2 * 1024 * 1024)
    #expect(acts.first(.unknownStatus)?.text == "APPROVED")
  }

  @Test func refusesMoreRulesThanItsLimit() throws {
    var plan = MisbehaviourPlan()
    for _ in 0..<MisbehaviourPlan.ruleLimit { try plan.add(.slow) }
    #expect(throws: MisbehaviourPlan.Refused.tooManyRules) { try plan.add(.slow) }
  }

  private let readings: [Reading] = [
    .none, .started, .pending, .approved(hasOutcome: true), .approved(hasOutcome: false), .declined,
  ]
}
