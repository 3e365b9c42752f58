import EventLoop
import HTTP

/// `/v1/returns`: the door of the desktop's URL handler.
@LoopActor enum ReturnsResource {
  /// Answers as soon as the return is queued; nothing that is anybody's is told.
  static func accept(
    _ call: APICall, in broker: Broker
  ) async throws(APIProblem) -> HTTPResponse {
    try asking { () throws(Problem) in try broker.checkAvailable() }
    var fields = try call.fields()
    let url = try fields.text("url")
    let token = try fields.optionalActivationToken()
    try fields.finish()
    try asking { () throws(Problem) in
      try broker.accept(returned: url, activationToken: token)
    }
    return APIResponse.json(AcceptedBody(accepted: true), status: 202)
  }

  /// The body `{"url":…}` of `/v1/requests/{id}/return`.
  static func url(_ call: APICall) throws(APIProblem) -> String {
    var fields = try call.fields()
    let url = try fields.text("url")
    try fields.finish()
    return url
  }

  private struct AcceptedBody: JSONObject {
    let accepted: Bool

    func write(to json: inout JSONText) { json.member("accepted", accepted) }
  }
}
