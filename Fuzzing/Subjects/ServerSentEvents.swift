import HTTP

extension Subject {
  /// A stream of events: the same ones however it is cut, and the same ones when they are sent
  /// again.
  static let serverSentEvents = Subject(
    name: "server-sent-events", longest: 2048,
    words: ["data: ", "event: ", "id: ", "retry: ", "\r\n", "\r", "\n\n", ":\n", "\u{FEFF}"],
    seeds: [
      "\u{FEFF}id: 1\r\nevent: request\r\ndata: {\"a\":\r\ndata:1}\r\n\r\n: still here\n\ndata\n\n",
      "retry: 3000\nid: 2\rdata: a\r\rid\ndata:  b\n\nevent: x\n\n",
    ].map { Array($0.utf8) }
  ) { bytes throws(Finding) in
    let whole = ReadEvents(bytes, .whole)
    for delivery in Delivery.all(of: bytes) {
      let again = ReadEvents(bytes, delivery)
      try require(again == whole, "\(delivery): \(again) and not \(whole)")
    }
    let sent = ReadEvents(whole.events.flatMap(\.bytes), .random)
    try require(
      sent.events.elementsEqual(whole.events) { again, event in
        again.event == event.event && again.data == event.data
          && (event.id == nil || again.id == event.id)
      }, "sent again they are \(sent) and not \(whole)")
    let tight = ReadEvents(bytes, .whole, limit: 16)
    try require(
      whole.events.starts(with: tight.events) && (tight == whole || tight.isTooLong),
      "a tighter limit made other events")
    try require(tight.events.allSatisfy { $0.data.utf8.count <= 3 * 16 }, "data over the limit")
  }
}

private struct ReadEvents: Equatable {
  var events: [ServerSentEvent] = []
  var lastID = ""
  var retry: Int?
  var isTooLong = false

  init(_ bytes: [UInt8], _ delivery: Delivery, limit: Int = 1 << 16) {
    var parser = ServerSentEventParser(limit: limit)
    do throws(ServerSentEventParser.Fault) {
      for piece in delivery.pieces(of: bytes) { events += try parser.feed(piece) }
      lastID = parser.lastEventID
      retry = parser.retryMilliseconds
    } catch {
      isTooLong = true
      // Events of the piece that was refused are lost with it, so that only the refusal counts.
      events = []
    }
  }
}
