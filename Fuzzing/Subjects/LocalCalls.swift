import FoundationEssentials
import HTTP
import MeroConsent

@testable import ConsentBroker

extension Subject {
  /// A whole call of the local API: its path, its query, its headers and its body, as far as they
  /// are read before the broker is asked. What was read is read again as the same when it is
  /// written; a refusal has a status and a sentence that are ours.
  ///
  /// The input is a request without a length: what follows the empty line is its body.
  static let localCalls = Subject(
    name: "local-calls", longest: 1536,
    words: [
      "GET /v1/requests/rq%2D1 HTTP/1.1\r\n", "/return", "?state=approved&limit=", "before=",
      "Authorization: Bearer ", "If-None-Match: \"a\", W/\"b\"", "Prefer: wait=60", "\r\n\r\n",
      #""node":{"url":"#, #""trust":{"#, #""transportKey":""#, #""measurements":["#, #""tcb":["#,
      #""releases":true"#, #""development":true"#, #""accessToken":""#, #""kind":"outbound""#,
      #""teams":[{"team":"#, #""capabilities":7"#, #""expiresAt":"2030-01-01T00:00:00Z""#,
    ] + ConsentKind.allCases.map { #""kind":"\#($0.rawValue)""# },
    seeds: callSeeds
  ) { bytes throws(Finding) in
    guard let request = framed(bytes) else { return }
    try checkRoute(request)
    try checkHeaders(request.headers)
    let call = APICall(request: request, id: "")
    if let parameters = try refused(call.parameters(["state", "limit", "before"])) {
      let pairs = parameters.map { HTTP.FormQuery.Pair($0.key, $0.value) }
      var again = request
      again.query = HTTP.FormQuery.encode(pairs)
      let read = try refused(APICall(request: again, id: "").parameters(Set(parameters.keys)))
      try require(read == parameters, "the query is another when it is read again")
    }
    try checkSession(call)
    try checkStart(call)
    _ = try refused(call.optionalActivationToken())
  }

  // MARK: Reading

  private static func framed(_ bytes: [UInt8]) -> HTTPRequest? {
    let end = Array("\r\n\r\n".utf8)
    let mark = bytes.indices.first { bytes[$0...].starts(with: end) }
    guard let mark else { return nil }
    let body = bytes[(mark + end.count)...]
    var parser = HTTPRequestParser(limits: HTTPLimits())
    parser.feed(bytes[..<mark] + Array("\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
    guard var request = try? parser.nextHead()?.request else { return nil }
    request.body = Array(body)
    return request
  }

  /// The value, or `nil` for a refusal that may be told.
  private static func refused<Value>(
    _ read: @autoclosure () throws(APIProblem) -> Value
  ) throws(Finding) -> Value? {
    let problem: APIProblem
    do throws(APIProblem) { return try read() } catch { problem = error }
    try check(problem)
    return nil
  }

  private static func check(_ problem: APIProblem) throws(Finding) {
    let document = problem.document
    try require(
      [400, 404, 405, 415, 422].contains(document.status), "refused with \(document.status)")
    try require(
      document.detail.unicodeScalars.allSatisfy {
        ![.control, .format].contains($0.properties.generalCategory)
      } && document.detail.utf8.count < 400, "a refusal that repeats what came")
    try require((document.field?.utf8.count ?? 0) < 200, "a field of any length")
    let again = try? JSONDecoder().decode(ProblemDocument.self, from: Data(bytes(of: problem)))
    try require(again == document, "a refusal that is another one when it is read")
  }

  private static func bytes(of problem: APIProblem) -> [UInt8] {
    if case .bytes(let body) = problem.response.body { body } else { [] }
  }

  // MARK: What holds

  /// A path that is found is found again when it is written; one that has other methods names
  /// them, and has them.
  private static func checkRoute(_ request: HTTPRequest) throws(Finding) {
    let found: (route: Route, id: String)
    do throws(APIProblem) {
      found = try RouteTable.find(request)
    } catch {
      try check(error)
      return try checkAllowed(error, request)
    }
    let template = found.route.path.template
    try require(template.contains("{id}") == !found.id.isEmpty, "an id of no place")
    var again = request
    again.path = template.replacing(
      "{id}", with: PercentCoding.encode(found.id), maxReplacements: 1)
    let other = try? RouteTable.find(again)
    try require(
      other?.0.path.template == template && other?.id.utf8.elementsEqual(found.id.utf8) == true,
      "the path of \(template) is another when it is written")
  }

  private static func checkAllowed(
    _ problem: APIProblem, _ request: HTTPRequest
  ) throws(Finding) {
    let allowed = problem.headers[.allow]?.split(separator: ", ") ?? []
    try require(
      (problem.document.status == 405) == !allowed.isEmpty, "no method, and no word of it")
    for name in allowed {
      var other = request
      other.method = HTTPMethod(String(name)) ?? .get
      try require((try? RouteTable.find(other)) != nil, "a method that there is not: \(name)")
    }
  }

  private static func checkHeaders(_ headers: HTTPHeaders) throws(Finding) {
    if let key = BearerKey.read(headers) { try checkKey(key, headers) }
    let known = headers.values(of: .ifNoneMatch)
    if let condition = EntityTagCondition(known), case .tags(let tags) = condition {
      try require(EntityTagCondition([tags.joined(separator: ", ")]) == condition, "other tags")
      try require(EntityTagCondition(tags) == condition, "other tags, line by line")
      try require(
        tags.allSatisfy { $0.utf8.count >= 2 && $0.utf8.first == 0x22 && $0.utf8.last == 0x22 },
        "a tag without its quotes")
      try require(tags.allSatisfy(condition.matches), "a tag that does not match itself")
    }
    let preferences = headers.values(of: .prefer)
    let seconds = WaitPreference.seconds(in: preferences, longest: 60)
    try require(seconds.map { (0...60).contains($0) } != false, "a wait of another length")
    try require(
      WaitPreference.seconds(in: ["respond-async"] + preferences, longest: 60) == seconds,
      "another preference in front changes the wait")
  }

  private static func checkKey(
    _ key: ArraySlice<UInt8>, _ headers: HTTPHeaders
  ) throws(Finding) {
    try require(!key.isEmpty && key.first != HTTPBytes.space, "a key with a blank")
    // A key that is no UTF-8 is read, and cannot be written here.
    guard let text = String(validating: key, as: UTF8.self) else { return }
    guard let value = HTTPFieldValue("bearer \(text)") else {
      throw Finding(description: "a key that cannot be sent")
    }
    try require(BearerKey.read([.authorization: value]) == key, "another key, sent again")
    var twice = headers
    twice.add(.authorization, value)
    try require(BearerKey.read(twice) == nil, "two keys at once")
  }

  private static func checkSession(_ call: APICall) throws(Finding) {
    if let opening = try refused(SessionBody(call))?.opening, let trust = opening.trust {
      let text = StoredTrust.text(trust)
      try require(StoredTrust.read(text) == trust, "the ledger keeps another trust: \(text)")
    }
    _ = try refused(TokensBody(call))
  }

  /// What an app asks for is the same when it is written and read again.
  private static func checkStart(_ call: APICall) throws(Finding) {
    guard let start = try refused(StartBody(call)) else { return }
    let written: Data?
    switch start.what {
    case .request(let request): written = try? JSONEncoder().encode(ConsentRequestBody(request))
    case .started(let started): written = try? JSONEncoder().encode(started)
    }
    guard let written else { throw Finding(description: "it cannot be written") }
    let again: Bool
    switch start.what {
    case .request(let request):
      let read = try? JSONDecoder().decode(ConsentRequestBody.self, from: written)
      again = read?.request == request
      try require(
        request.secrets.allSatisfy { $0.utf8.count < 8 || !"\(request)".contains($0) },
        "its description has a secret")
    case .started(let started):
      let read = try? JSONDecoder().decode(ConsentStarted.self, from: written)
      // Written dates end at the millisecond, and at the years that RFC 3339 has.
      again =
        read?.requestId == started.requestId && read?.url == started.url
        && read?.code == started.code && read?.kind == started.kind
    }
    try require(again, "the request is another when it is read again")
  }

  private static let callSeeds: [[UInt8]] = {
    let json = "Content-Type: application/json\r\n\r\n"
    let open =
      #"{"package":"com.example.notes","node":{"url":"https://node.example","trust":TRUST},"#
      + #""accessToken":"a","refreshToken":"r","origins":["https://notes.example"],"#
      + #""returnTo":"https://notes.example/?native-consent=1"}"#
    let (key, register) = (String(repeating: "a", count: 64), String(repeating: "b", count: 96))
    let image = ["mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3"]
      .map { #""\#($0)":"\#(register)""# }.joined(separator: ",")
    let trusts = [
      #"{"transportKey":"\#(key)"}"#, #"{"measurements":[{\#(image)}],"tcb":["UpToDate"]}"#,
      #"{"releases":["stable"]}"#, #"{"releases":true}"#, #"{"development":true}"#,
    ]
    let requests = [
      #"{"request":{"kind":"createOrg","name":"Acme"},"open":true,"activationToken":"t"}"#,
      #"{"request":{"kind":"createInvite","org":"o","role":"admin","teams":["t"],"ttlSecs":60,"#
        + #""uses":1,"allApps":false}}"#,
      #"{"request":{"kind":"setMemberTeams","org":"o","account":"a","#
        + #""teams":[{"team":"t","role":"lead","capabilities":3}]}}"#,
      #"{"request":{"kind":"setCapabilities","org":"o","capabilities":4}}"#,
      #"{"request":{"kind":"outbound","instance":"i","hosts":["a.example:443"]}}"#,
      #"{"started":{"requestId":"rq-1","url":"https://node.example/c","code":"7QF2-XK","#
        + #""expiresAt":"2030-01-01T00:00:00Z","kind":"release"}}"#,
    ]
    var seeds = trusts.map {
      "POST /v1/sessions HTTP/1.1\r\nHost: d\r\n\(json)" + open.replacing("TRUST", with: $0)
    }
    seeds += requests.map { "POST /v1/requests HTTP/1.1\r\nHost: d\r\n\(json)\($0)" }
    seeds += [
      "PATCH /v1/session HTTP/1.1\r\nHost: d\r\n\(json){\"accessToken\":\"a\"}",
      "GET /v1/requests/rq-1 HTTP/1.1\r\nHost: d\r\nAuthorization: Bearer k\r\n"
        + "If-None-Match: \"a\", W/\"b\"\r\nPrefer: respond-async, wait=\"30\"; x=1\r\n\r\n",
      "GET /v1/requests?state=approved&limit=10&before=c HTTP/1.1\r\nHost: d\r\n\r\n",
      "PUT /v1/requests/%72/return HTTP/1.1\r\nHost: d\r\n\r\n",
    ]
    return seeds.map { Array($0.utf8) }
  }()
}

extension ConsentRequest {
  /// What is a credential in it.
  fileprivate var secrets: [String] {
    fields.list.compactMap { if case .secret(let text) = $0.value { text } else { nil } }
  }
}
