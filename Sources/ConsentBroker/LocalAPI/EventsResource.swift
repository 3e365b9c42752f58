import Desktop
import EventLoop
import HTTP

/// `/v1/events`: the caller's changes as server-sent events.
@LoopActor enum EventsResource {
  /// How long a stream may be silent: shorter than the idle limits that are usual in between.
  static let heartbeat: Duration = .seconds(25)

  static func stream(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    let after = try lastEventID(call)
    let headers: HTTPHeaders = [.contentType: "text/event-stream", .cacheControl: "no-store"]
    // With a body of no known length, as GET has: "Content-Length: 0" would be untrue.
    guard call.request.method == .get else {
      return HTTPResponse(200, headers: headers, stream: HTTPBodyStream())
    }
    let subscription = try asking { () throws(Problem) in
      try broker.events(after: after, for: caller)
    }
    let stream = HTTPBodyStream(
      heartbeat: .init(every: heartbeat, bytes: ServerSentEvent.comment), farewell: shutdown)
    // The first bytes tell the client that the stream stands, and where.
    stream.send(ServerSentEvent.beginning(at: String(subscription.start)))
    let pump = Task { @LoopActor in await forward(subscription, to: stream) }
    stream.onEnd = {
      subscription.end()
      pump.cancel()
    }
    return HTTPResponse(200, headers: headers, stream: stream)
  }

  /// Sent last when the daemon ends, so that the end is no surprise.
  private static let shutdown = ServerSentEvent(event: "shutdown", data: "{}").bytes

  private static func forward(
    _ subscription: EventSubscription, to stream: HTTPBodyStream
  ) async {
    while !stream.isOver {
      switch await subscription.next(until: .now + heartbeat) {
      case .event(let event):
        stream.send(message(event))
        await stream.room()
      case .quiet: continue
      case .sessionEnded: return stream.finish()
      case .stopping:
        stream.send(shutdown)
        return stream.finish()
      }
    }
  }

  private static func message(_ event: BrokerEvent) -> [UInt8] {
    ServerSentEvent(
      event: "request", data: String(decoding: JSONText(EventJSON(event)).bytes, as: UTF8.self),
      id: event.isRecorded ? String(event.sequence) : nil
    ).bytes
  }

  /// - Throws: 400 for what never was an id of ours: starting anew without a word would lose
  ///   events.
  private static func lastEventID(_ call: APICall) throws(APIProblem) -> Int64? {
    guard let text = try call.single(.lastEventID), !text.isEmpty else { return nil }
    guard text.utf8.allSatisfy(HTTPBytes.isDigit), text.utf8.count <= 18, let id = Int64(text)
    else {
      throw APIProblem(
        .requestMalformed, "Last-Event-ID is no id of an event of this stream.",
        field: "Last-Event-ID")
    }
    return id
  }
}

/// `{"requestId","state","lastReturn","readFailure","activationToken"}`. No secrets of the consent.
struct EventJSON: JSONObject {
  let requestId: String
  /// `false`, or left out.
  let recorded: Bool?
  let state: String
  let lastReturn: LastReturnJSON?
  let readFailure: ReadFailureJSON?
  let activationToken: String?

  func write(to json: inout JSONText) {
    json.member("activationToken", activationToken)
    json.member("lastReturn", lastReturn)
    json.member("readFailure", readFailure)
    json.member("recorded", recorded)
    json.member("requestId", requestId)
    json.member("state", state)
  }
}

extension EventJSON {
  init(_ event: BrokerEvent) {
    requestId = event.requestId
    recorded = event.isRecorded || event.isOfReading ? nil : false
    state = event.state.rawValue
    lastReturn = event.lastReturn.map(LastReturnJSON.init)
    readFailure = event.readFailure.map(ReadFailureJSON.init)
    activationToken = event.activationToken?.text
  }
}
