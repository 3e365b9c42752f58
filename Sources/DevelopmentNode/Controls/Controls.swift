import Crypto

// What the controls do, where it takes more than a line.
extension DevelopmentNode {
  package var transportKeyHex: String { Hex.encode(transportKey) }

  /// A year: lifetimes and clock errors beyond it are typing errors.
  private static let longestMilliseconds = 366 * 86_400_000

  func issue(to account: String?) -> JSON {
    let account = account ?? state.accounts.newAccount()
    let tokens = state.issueTokens(to: account, at: now)
    return [
      "account": .string(account), "accessToken": .string(tokens.access),
      "refreshToken": .string(tokens.refresh),
    ]
  }

  /// The request that a body names, or the newest one that may still be decided.
  func request(named body: ControlBody) throws(ControlRefused) -> String {
    if let id = try body.text("requestId") { return id }
    let open = state.consents.all.last { (try? state.consents.decidable($0.id, at: now)) != nil }
    guard let open else { throw ControlRefused("No request is undecided.", status: 404) }
    return open.id
  }

  /// Words a refusal of the consent book's as a control's.
  func change(
    _ id: String, _ change: (String) throws(ConsentBook.Refused) -> Void
  ) throws(ControlRefused) {
    do { try change(id) } catch { throw ControlRefused(error) }
  }

  /// What a browser would do after the press: where it would go, and where it would end.
  func play(
    _ id: String, _ decision: ConsentBook.Decision
  ) throws(ControlRefused) -> JSON {
    let record: ConsentBook.Record
    do { record = try decide(id, decision) } catch { throw ControlRefused(error) }
    var answer: JSON = ["requestId": .string(id)]
    if let address = state.returnAddress(of: record) {
      answer["location"] = .string(address)
      answer["callback"] = state.callbackAddress(of: record).map(JSON.string)
    }
    return answer
  }

  func setCallback(_ body: ControlBody) throws(ControlRefused) -> JSON {
    let callback = try body.callback("url")
    guard let id = try body.text("requestId") else {
      state.settings.callback = callback
      return [:]
    }
    guard state.consents.record(id) != nil else { throw ControlRefused(.unknown) }
    state.callbacks[id] = callback
    return ["requestId": .string(id)]
  }

  func misbehave(_ body: ControlBody) throws(ControlRefused) -> JSON {
    guard let misbehaviour = try body.choice("name", of: Misbehaviour.self) else {
      throw ControlRefused("“name” is missing")
    }
    var times: Int? = 1
    if let value = body.members["times"] {
      times = value == "forever" ? nil : try body.number("times", in: 1...1_000_000)
    }
    let call = try body.choice("on", of: CallName.self)
    let skip = try body.number("skip", in: 0...1_000_000) ?? 0
    let range = -Self.longestMilliseconds...Self.longestMilliseconds
    let number = try body.number("number", in: range)
    let text = try body.text("value")
    do {
      try state.plan.add(
        misbehaviour, on: call, skip: skip, times: times, number: number, text: text)
    } catch {
      switch error {
      case .cannotSpoil(let call):
        throw ControlRefused("\(misbehaviour.rawValue) cannot spoil \(call.rawValue)")
      case .tooManyRules: throw ControlRefused("There are too many rules already.")
      case .negative: throw ControlRefused("“skip” and “times” are not negative.")
      }
    }
    return ["rules": .array(state.plan.rules.map(JSON.init(rule:)))]
  }

  func set(_ body: ControlBody) throws(ControlRefused) -> JSON {
    let positive = 1...Self.longestMilliseconds
    if let ttl = try body.number("ttl", in: positive) {
      state.settings.requestLifetime = .milliseconds(ttl)
    }
    if let ttl = try body.number("tokenTtl", in: positive) {
      state.settings.tokenLifetime = .milliseconds(ttl)
    }
    if let ttl = try body.number("sessionTtl", in: 1000...3_600_000) {
      sealing.sessionLifetime = .milliseconds(ttl)
    }
    let skews = -Self.longestMilliseconds...Self.longestMilliseconds
    if let skew = try body.number("clockSkew", in: skews) {
      state.settings.clockSkew = .milliseconds(skew)
    }
    if let wraps = try body.flag("wrapped") { state.settings.wrapsAnswers = wraps }
    return settingsJSON
  }

  /// What a restart of a real node looks like from outside.
  package func restart() {
    let lifetime = sealing.sessionLifetime
    sealing = NodeSealing()
    sealing.sessionLifetime = lifetime
  }
}
