/// What the node will do wrong, and how often still.
package struct MisbehaviourPlan: Sendable {
  /// One order to misbehave.
  package struct Rule: Sendable, Equatable {
    package let misbehaviour: Misbehaviour
    /// The one call that is meant; without it, all that the misbehaviour can spoil.
    package let call: CallName?
    /// Calls that are still answered well before it acts.
    package var skip: Int
    /// How many calls are spoilt; `nil` for ever.
    package var times: Int?
    package let number: Int?
    package let text: String?
  }

  /// A misbehaviour that acts on the call at hand, with its parameter filled in.
  package struct Act: Sendable, Equatable {
    package let misbehaviour: Misbehaviour
    /// 0 where the misbehaviour takes no number.
    package let number: Int
    /// Empty where it takes no text.
    package let text: String
  }

  package enum Refused: Error, Equatable {
    case cannotSpoil(CallName)
    case tooManyRules
    case negative
  }

  /// More than any test needs, few enough to look through at each call.
  package static let ruleLimit = 64

  package private(set) var rules: [Rule] = []

  package init() {}

  package mutating func add(
    _ misbehaviour: Misbehaviour, on call: CallName? = nil, skip: Int = 0, times: Int? = 1,
    number: Int? = nil, text: String? = nil
  ) throws(Refused) {
    if let call, !misbehaviour.entry.calls.contains(call) { throw .cannotSpoil(call) }
    guard rules.count < Self.ruleLimit else { throw .tooManyRules }
    guard skip >= 0, times ?? 0 >= 0 else { throw .negative }
    rules.append(
      Rule(
        misbehaviour: misbehaviour, call: call, skip: skip, times: times, number: number,
        text: text))
  }

  package mutating func clear() { rules = [] }

  /// What acts on this call at these stages; each act uses its rule up by one.
  ///
  /// Of two rules of the same misbehaviour only the first acts, so that they can queue.
  package mutating func take(
    _ stages: Set<Misbehaviour.Stage>, on call: CallName, reading: Reading = .none
  ) -> [Act] {
    var acts: [Act] = []
    for index in rules.indices {
      let rule = rules[index]
      let entry = rule.misbehaviour.entry
      guard stages.contains(entry.stage), rule.times != 0,
        rule.call == nil ? entry.calls.contains(call) : rule.call == call,
        rule.misbehaviour.applies(to: reading),
        !acts.contains(where: { $0.misbehaviour == rule.misbehaviour })
      else { continue }
      guard rule.skip == 0 else {
        rules[index].skip -= 1
        continue
      }
      if let times = rule.times { rules[index].times = times - 1 }
      acts.append(Act(rule))
    }
    rules.removeAll { $0.times == 0 }
    return acts
  }
}

extension MisbehaviourPlan.Act {
  fileprivate init(_ rule: MisbehaviourPlan.Rule) {
    misbehaviour = rule.misbehaviour
    switch rule.misbehaviour.entry.takes {
    case .none: (number, text) = (0, "")
    case .number(_, let standard): (number, text) = (rule.number ?? standard, "")
    case .text(_, let standard): (number, text) = (0, rule.text ?? standard)
    }
  }
}

extension [MisbehaviourPlan.Act] {
  package func first(_ misbehaviour: Misbehaviour) -> MisbehaviourPlan.Act? {
    first { $0.misbehaviour == misbehaviour }
  }

  package func has(_ misbehaviour: Misbehaviour) -> Bool { first(misbehaviour) != nil }
}
