import HTTP

extension Subject {
  /// Answers on one connection, as a client reads them.
  static let httpResponse = Subject(
    name: "http-response", longest: 2048,
    words: [
      "HTTP/1.1 200 OK\r\n", "HTTP/1.0 404\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 204 \r\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n",
      "Connection: close\r\n", "\r\n\r\n", "0\r\n\r\n",
    ],
    seeds: [
      "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        + "HTTP/1.1 304 \r\nETag: \"a\"\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5;x=\"y\"\r\nhello\r\n1\r\n!\r\n0\r\nX-T: v\r\n\r\nHTTP/1.1 204 \r\n\r\n",
      "HTTP/1.0 200 OK\r\n\r\nuntil it closes", "HTTP/1.1 500 \r\nContent-Length: 0\r\n\r\n",
    ].map { Array($0.utf8) }
  ) { bytes throws(Finding) in
    for isHead in [false, true] {
      let whole = ParsedResponses(bytes, .whole, toHead: isHead)
      for delivery in Delivery.all(of: bytes) {
        let again = ParsedResponses(bytes, delivery, toHead: isHead)
        try require(again == whole, "\(delivery): \(again) and not \(whole)")
      }
      for answer in whole.answers {
        try require((200...599).contains(answer.status), "the status \(answer.status)")
        try require(answer.body.count <= HTTPLimits().bodyBytes, "too large a body")
        try require(!isHead || answer.body.isEmpty, "a body of an answer to HEAD")
        try require(
          answer.headers.all.allSatisfy { $0.value.utf8.allSatisfy(HTTPBytes.isFieldValue) },
          "a value with a control character")
      }
    }
  }
}

private struct ParsedResponses: Equatable {
  struct Answer: Equatable {
    let status: Int
    let headers: HTTPHeaders
    var body: [UInt8] = []
    var isWhole = false
  }

  var answers: [Answer] = []
  var isRefused = false

  init(_ bytes: [UInt8], _ delivery: Delivery, toHead isHead: Bool) {
    var parser = HTTPResponseParser(limits: HTTPLimits())
    var answer: Answer?
    do throws(HTTPRefusal) {
      for piece in delivery.pieces(of: bytes) {
        parser.feed(piece)
        while true {
          if answer == nil, let head = try parser.nextHead(toHead: isHead) {
            answer = Answer(status: head.status.code, headers: head.headers)
          }
          guard var current = answer else { break }
          current.isWhole = try parser.readBody(into: &current.body)
          answer = current.isWhole ? nil : current
          guard current.isWhole else { break }
          answers.append(current)
        }
      }
    } catch {
      // How much of a broken body had come depends on how it came; that it is broken does not.
      isRefused = true
      return
    }
    if let answer { answers.append(answer) }
  }
}
