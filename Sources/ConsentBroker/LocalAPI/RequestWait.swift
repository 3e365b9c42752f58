import EventLoop
import HTTP

/// `If-None-Match` with `Prefer: wait`: an answer that comes when the request has changed.
@LoopActor final class RequestWait: ParkedAnswer {
  var onAnswer: (@LoopActor (HTTPResponse) -> Void)? {
    didSet { tell() }
  }
  private let seconds: Int
  private var wait: Wait?
  /// It was there before anybody wanted it.
  private var early: HTTPResponse?

  private init(seconds: Int) { self.seconds = seconds }

  /// What a client gets that asks for a request: the request, that it has it already, or a wait.
  ///
  /// - Parameter isCurrent: whether `view` is how the request is at this very moment.
  static func reply(
    to call: APICall, _ shared: SharedView, isCurrent: Bool, of caller: Caller, in broker: Broker
  ) throws(APIProblem) -> HTTPReply {
    guard isKnown(shared.etag, to: call) else { return answer(shared) }
    let seconds = WaitPreference.seconds(
      in: call.request.headers.values(of: .prefer), longest: BrokerLimits.longestWait)
    guard let seconds else { return .now(RequestsResource.unchanged(shared.etag)) }
    let answer = RequestWait(seconds: seconds)
    answer.wait = try asking { () throws(Problem) in
      try broker.wait(
        for: call.id, changedFrom: shared.etag, isCurrent: isCurrent,
        until: .now + .seconds(seconds), for: caller
      ) { end in answer.end(end) }
    }
    return .parked(answer)
  }

  /// Whether the client says that it has the version with this tag.
  static func isKnown(_ etag: String, to call: APICall) -> Bool {
    let headers = call.request.headers
    return headers.contains(.ifNoneMatch)
      && EntityTagCondition(headers.values(of: .ifNoneMatch))?.matches(etag) == true
  }

  func hurry() { wait?.end(.unchanged) }

  private func end(_ end: Wait.End) {
    guard let etag = wait?.etag else { return }
    wait = nil
    early = response(end, etag)
    tell()
  }

  private func tell() {
    guard let response = early, let action = onAnswer else { return }
    early = nil
    onAnswer = nil
    action(response)
  }

  private func response(_ end: Wait.End, _ etag: String) -> HTTPResponse {
    switch end {
    case .unchanged: return RequestsResource.unchanged(etag, waited: seconds)
    case .failed(let problem): return APIProblem(problem).response
    case .changed(let shared): return Self.answer(shared, waited: seconds)
    }
  }

  private static func answer(_ shared: SharedView) -> HTTPReply {
    if let made = shared.reply { return made }
    let made = HTTPReply.kept(RequestsResource.answer(shared.view))
    shared.reply = made
    return made
  }

  private static func answer(_ shared: SharedView, waited: Int) -> HTTPResponse {
    if let made = shared.answersAfterWaiting[waited] { return made }
    let made = RequestsResource.answer(shared.view, waited: waited)
    shared.answersAfterWaiting[waited] = made
    return made
  }
}
