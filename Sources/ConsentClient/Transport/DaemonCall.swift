import FoundationEssentials
import HTTP

/// One call of the local API.
struct DaemonCall: Sendable {
  var method: HTTPMethod
  /// Its segments are percent-encoded already.
  var path: String
  var query: String?
  var headers: HTTPHeaders = [:]
  var body: [UInt8]?
  /// A repeat of it does no harm: it may go over a kept connection, which may turn out to be
  /// dead, and is sent again when the daemon ended before it answered.
  var canRepeat: Bool
  /// How long the daemon may take for it.
  var time: Duration

  init(
    _ method: HTTPMethod, _ path: String, query: String? = nil, canRepeat: Bool,
    time: Duration
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.canRepeat = canRepeat
    self.time = time
  }

  /// The same call with a JSON body.
  func with(_ body: some Encodable) throws(BrokerError) -> DaemonCall {
    var call = self
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    do {
      call.body = Array(try encoder.encode(body))
    } catch {
      // Only a number that is none does not encode, and no body has any but 32-bit ones.
      throw BrokerError(.fieldInvalid, "The request cannot be written as JSON.")
    }
    call.headers.set(.contentType, "application/json")
    return call
  }

  /// The same call with a header, where there is a value.
  func with(_ name: HTTPFieldName, _ value: String?) throws(BrokerError) -> DaemonCall {
    guard let value else { return self }
    guard let field = HTTPFieldValue(value) else {
      throw BrokerError(
        .fieldInvalid, "A line end or another control character cannot be sent.",
        field: name.text)
    }
    var call = self
    call.headers.set(name, field)
    return call
  }

  func request(key: SessionKey?) -> HTTPRequest {
    var headers = headers
    if let key, let value = HTTPFieldValue("Bearer \(key.text)") {
      headers.set(.authorization, value)
    }
    return HTTPRequest(
      method: method, path: path, query: query, headers: headers, body: body ?? [],
      host: "localhost")
  }
}
