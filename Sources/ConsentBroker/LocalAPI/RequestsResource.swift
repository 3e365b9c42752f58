import EventLoop
import HTTP

/// `/v1/requests` and what is below it.
@LoopActor enum RequestsResource {
  static func start(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    let key = try idempotencyKey(call)
    let body = try StartBody(call)
    let result = try await asking { () async throws(Problem) in
      switch body.what {
      case .request(let request):
        try await broker.start(
          request, open: body.open, activationToken: body.activationToken, idempotencyKey: key,
          for: caller)
      case .started(let started):
        try await broker.record(
          started, open: body.open, activationToken: body.activationToken, idempotencyKey: key,
          for: caller)
      }
    }
    return answer(result, status: 201)
  }

  static func list(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    let parameters = try call.parameters(["state", "limit", "before"])
    let state = try parameters["state"].map { name throws(APIProblem) in
      guard let state = RequestState(rawValue: name) else {
        throw APIProblem(
          .fieldInvalid,
          "The parameter state is none of these: "
            + RequestState.allCases.map(\.rawValue).joined(separator: ", ") + ".", field: "state")
      }
      return state
    }
    let limit = try parameters["limit"].map(limit) ?? BrokerLimits.listDefault
    let before = parameters["before"]
    let answer = try await broker.lists.pass(as: caller.session) {
      () async throws(APIProblem) in
      let list = try await asking { () async throws(Problem) in
        try await broker.list(state: state, limit: limit, before: before, for: caller)
      }
      return APIResponse.json(
        ListBody(requests: list.requests.map { RequestJSON($0) }, next: list.next), status: 200)
    }
    guard let answer else { throw APIProblem(.stopping) }
    return answer
  }

  /// Answers at once, unless the client has this very version and is willing to wait for another.
  static func show(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) throws(APIProblem) -> HTTPReply {
    let view = try asking { () throws(Problem) in try broker.liveView(call.id, for: caller) }
    if let view {
      return try RequestWait.reply(to: call, view, isCurrent: true, of: caller, in: broker)
    }
    return .later {
      do throws(APIProblem) {
        let view = try await asking { () async throws(Problem) in
          // What memory has waits for nothing: who sends ahead has one answer at a time all the same.
          await Task.yield()
          let view = try await broker.get(call.id, withLongOutcome: false, for: caller)
          // Nobody who has it already, or wants the head alone, has a long outcome read.
          guard view.longOutcome?.isLeftOut == true, call.request.method != .head,
            !RequestWait.isKnown(view.etag, to: call)
          else { return view }
          return try await broker.get(call.id, for: caller)
        }
        let reply = try RequestWait.reply(
          to: call, SharedView(view), isCurrent: false, of: caller, in: broker)
        return await reply.value()
      } catch {
        return error.response
      }
    }
  }

  static func open(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    let token = try call.optionalActivationToken()
    let result = try await asking { () async throws(Problem) in
      try await broker.open(call.id, activationToken: token, for: caller)
    }
    return answer(result, status: 200)
  }

  static func confirm(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    let url = try ReturnsResource.url(call)
    let view = try await asking { () async throws(Problem) in
      try await broker.confirm(call.id, returned: url, for: caller)
    }
    return answer(view)
  }

  static func cancel(
    _ call: APICall, of caller: Caller, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    let view = try await asking { () async throws(Problem) in
      try await broker.cancel(call.id, for: caller)
    }
    return answer(view)
  }

  // MARK: Answers

  static func answer(_ view: RequestView, waited: Int? = nil) -> HTTPResponse {
    var answer = APIResponse.json(
      RequestJSON(view), status: 200, headers: headers(view.etag, waited: waited))
    if let outcome = view.longOutcome, outcome.isLeftOut { answer.omittedBytes = outcome.byteCount }
    return answer
  }

  private static func answer(_ result: StartResult, status: HTTPStatus) -> HTTPResponse {
    var headers = headers(result.view.etag)
    let location = "/v1/requests/" + PercentCoding.encode(result.view.requestId)
    if status == 201, let value = HTTPFieldValue(location) { headers.set(.location, value) }
    return APIResponse.json(
      RequestJSON(result.view, page: result.page), status: status, headers: headers)
  }

  static func unchanged(_ etag: String, waited: Int? = nil) -> HTTPResponse {
    APIResponse.empty(304, headers: headers(etag, waited: waited))
  }

  private static func headers(_ etag: String, waited: Int? = nil) -> HTTPHeaders {
    var headers = HTTPHeaders()
    if let value = HTTPFieldValue(etag) { headers.set(.etag, value) }
    if let waited, let value = HTTPFieldValue("wait=\(waited)") {
      headers.set(preferenceApplied, value)
    }
    return headers
  }

  private static let preferenceApplied: HTTPFieldName = "Preference-Applied"

  /// `Idempotency-Key`, of visible ASCII: what else a header may carry is read in several ways.
  private static func idempotencyKey(_ call: APICall) throws(APIProblem) -> String? {
    guard let key = try call.single(.idempotencyKey) else { return nil }
    guard (1...BrokerLimits.idempotencyKey).contains(key.utf8.count),
      key.utf8.allSatisfy(HTTPBytes.isVisible)
    else {
      throw APIProblem(
        .fieldInvalid,
        "The Idempotency-Key is not 1 to \(BrokerLimits.idempotencyKey) visible ASCII characters.",
        field: "Idempotency-Key")
    }
    return key
  }

  private static func limit(_ text: String) throws(APIProblem) -> Int {
    guard !text.isEmpty, text.utf8.allSatisfy(HTTPBytes.isDigit), let limit = Int(text),
      (1...BrokerLimits.listLimit).contains(limit)
    else {
      throw APIProblem(
        .fieldInvalid, "The parameter limit is no number from 1 to \(BrokerLimits.listLimit).",
        field: "limit")
    }
    return limit
  }

  private struct ListBody: JSONObject {
    let requests: [RequestJSON]
    let next: String?

    func write(to json: inout JSONText) {
      json.member("next", next)
      json.member("requests", requests)
    }
  }
}
