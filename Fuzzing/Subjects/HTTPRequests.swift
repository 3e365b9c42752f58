import HTTP

extension Subject {
  /// Requests on one connection. However they are cut, the same requests come out; what was
  /// taken means the same when it is written again; a tighter limit only ever refuses.
  static let httpRequest = Subject(
    name: "http-request", longest: 2048,
    words: [
      "GET ", "POST ", "OPTIONS * ", "CONNECT ", "http://", "HTTP/1.1\r\n", "HTTP/1.0\r\n",
      "Host: a\r\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n",
      "Expect: 100-continue\r\n", "\r\n\r\n", "0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    seeds: [
      "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET /b?c=d HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5;x=y\r\nhello\r\n06\r\n world\r\n0\r\nX-T: v\r\n\r\nGET / HTTP/1.0\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "GET http://127.0.0.1:17463/return/t?request_id=r HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n",
      "PUT /%41/./ HTTP/1.1\r\nhost:  [::1]:80 \r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
      "OPTIONS * HTTP/1.1\r\nHost: a\r\nA: b\tc\r\nA:\r\n\r\n",
    ].map { Array($0.utf8) }
  ) { bytes throws(Finding) in
    let whole = ParsedRequests(bytes, .whole, HTTPLimits())
    for delivery in Delivery.all(of: bytes) {
      let again = ParsedRequests(bytes, delivery, HTTPLimits())
      try require(again == whole, "\(delivery): \(again) and not \(whole)")
    }
    for request in whole.requests {
      try checkRequest(request)
      let written = ParsedRequests(HTTPRequestWriter.bytes(request), .whole, HTTPLimits())
      try require(
        written.requests.count == 1 && written.status == nil && written.requests[0].means(request),
        "written again it is \(written) and not \(request)")
    }
    let tight = ParsedRequests(bytes, .whole, tightLimits)
    try require(
      whole.requests.starts(with: tight.requests), "a tighter limit made another request")
    try require(
      tight == whole || [400, 413, 414, 431].contains(tight.status), "\(tight) under tight limits")
    let tightByByte = ParsedRequests(bytes, .byByte, tightLimits)
    try require(tightByByte == tight, "tight, by byte: \(tightByByte) and not \(tight)")
  }

  private static let tightLimits: HTTPLimits = {
    var limits = HTTPLimits()
    limits.startLine = 40
    limits.headerBytes = 120
    limits.headerCount = 4
    limits.bodyBytes = 24
    limits.chunkExtensionBytes = 8
    return limits
  }()

  private static func checkRequest(_ request: HTTPRequest) throws(Finding) {
    let limits = HTTPLimits()
    try require(request.path.utf8.first == UInt8(ascii: "/"), "a path without its slash")
    try require(
      (request.path + (request.query ?? "")).utf8.allSatisfy(HTTPBytes.isVisible),
      "a target with a byte that ends it")
    try require(request.headers.count <= limits.headerCount, "too many fields")
    try require(request.headers.wire.count <= limits.headerBytes + 100, "too large a section")
    try require(request.body.count <= limits.bodyBytes, "too large a body")
    for field in request.headers.all {
      try require(
        !field.name.isEmpty && field.name.utf8.allSatisfy(HTTPBytes.isToken), "a name that is none")
      try require(field.value.utf8.allSatisfy(HTTPBytes.isFieldValue), "a value with a control")
    }
    if let segments = PathSegments.split(request.path) {
      let path = segments.map { "/" + PercentCoding.encode($0) }.joined()
      try require(PathSegments.split(path) == segments, "segments that are not read again")
    }
  }
}

/// What a parser makes of the bytes of one connection.
private struct ParsedRequests: Equatable {
  var requests: [HTTPRequest] = []
  /// Of the refusal that ended it.
  var status: Int?
  var endsBetweenRequests = false

  init(_ bytes: [UInt8], _ delivery: Delivery, _ limits: HTTPLimits) {
    var parser = HTTPRequestParser(limits: limits)
    var head: HTTPRequestHead?
    do throws(HTTPRefusal) {
      for piece in delivery.pieces(of: bytes) {
        parser.feed(piece)
        while true {
          if head == nil { head = try parser.nextHead() }
          guard var request = head?.request, let body = try parser.nextBody() else { break }
          request.body = body
          requests.append(request)
          head = nil
        }
      }
      endsBetweenRequests = parser.isIdle && head == nil
    } catch {
      status = error.status.code
    }
  }
}

extension HTTPRequest {
  /// The same but for how its body was framed, which the writer decides, and where its host stood.
  fileprivate func means(_ other: HTTPRequest) -> Bool {
    let framing: [HTTPFieldName] = [.host, .contentLength, .transferEncoding]
    func rest(_ request: HTTPRequest) -> HTTPHeaders {
      var headers = request.headers
      for name in framing { headers.remove(name) }
      return headers
    }
    return method == other.method && path == other.path && query == other.query
      && version == other.version && body == other.body && (host ?? "") == (other.host ?? "")
      && rest(self) == rest(other)
  }
}
