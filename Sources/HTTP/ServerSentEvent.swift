/// One event of a `text/event-stream` (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Sendable, Equatable {
  /// `message` when the stream named none.
  package let event: String
  package let data: String
  /// What a client sends back as `Last-Event-ID`; `nil` leaves the last one as it is.
  package let id: String?

  /// - Precondition: neither `event` nor `id` has a line end or NUL: they are our own words and
  ///   numbers. `data` may have any.
  package init(event: String = "message", data: String, id: String? = nil) {
    precondition(ServerSentEvent.fits(event) && ServerSentEvent.fits(id ?? ""))
    self.event = event
    self.data = data
    self.id = id
  }

  private static func fits(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 != 0 && $0 != HTTPBytes.lineFeed && $0 != HTTPBytes.carriageReturn }
  }

  /// The event as it is sent, its blank line included.
  package var bytes: [UInt8] {
    var result: [UInt8] = []
    if let id { ServerSentEvent.line("id", id.utf8, to: &result) }
    if event != "message" { ServerSentEvent.line("event", event.utf8, to: &result) }
    // CR LF, CR and LF all end a line for the reader, so each becomes a line of its own.
    var rest = Array(data.utf8)[...]
    while let end = rest.firstIndex(where: {
      $0 == HTTPBytes.lineFeed || $0 == HTTPBytes.carriageReturn
    }) {
      ServerSentEvent.line("data", rest[..<end], to: &result)
      let isPair =
        rest[end] == HTTPBytes.carriageReturn && end + 1 < rest.endIndex
        && rest[end + 1] == HTTPBytes.lineFeed
      rest = rest[(end + (isPair ? 2 : 1))...]
    }
    ServerSentEvent.line("data", rest, to: &result)
    result.append(HTTPBytes.lineFeed)
    return result
  }

  /// The first bytes of a stream: a comment, and where the stream stands. No event comes of it, but
  /// a reader that is cut before its first one goes on from here.
  package static func beginning(at id: String) -> [UInt8] {
    precondition(fits(id))
    var result: [UInt8] = [HTTPBytes.colon, HTTPBytes.lineFeed]
    line("id", id.utf8, to: &result)
    result.append(HTTPBytes.lineFeed)
    return result
  }

  /// A line that readers skip: it keeps a silent stream open.
  package static let comment: [UInt8] = Array(":\n\n".utf8)

  private static func line(
    _ name: StaticString, _ value: some Collection<UInt8>, to result: inout [UInt8]
  ) {
    name.withUTF8Buffer { result.append(contentsOf: $0) }
    result.append(HTTPBytes.colon)
    result.append(HTTPBytes.space)
    result.append(contentsOf: value)
    result.append(HTTPBytes.lineFeed)
  }
}
