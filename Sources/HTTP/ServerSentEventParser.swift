/// Events out of the bytes of a `text/event-stream` (WHATWG HTML, section 9.2.6), in whatever
/// pieces they come.
package struct ServerSentEventParser {
  /// The stream cannot be read on.
  package enum Fault: Error, Equatable, Sendable {
    /// A line, or the data of an event, is longer than the limit.
    case tooLong
  }

  private let limit: Int
  private var line: [UInt8] = []
  private var lastWasCarriageReturn = false
  private var isFirstLine = true
  private var event: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false

  /// What a client sends as `Last-Event-ID` when it connects again: the id of the last event
  /// that was whole.
  package private(set) var lastEventID: String
  private var pendingID: String
  /// What the server asks for, with `retry:`, before a client connects again, in milliseconds.
  package private(set) var retryMilliseconds: Int?

  /// - Parameters:
  ///   - limit: bytes of a line and of the data of an event.
  ///   - lastEventID: of the connection before.
  package init(limit: Int = 64 * 1024, lastEventID: String = "") {
    self.limit = limit
    self.lastEventID = lastEventID
    pendingID = lastEventID
  }

  /// The events that `bytes` complete.
  package mutating func feed(_ bytes: some Sequence<UInt8>) throws(Fault) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      // CR LF is one line end: the LF of the pair is skipped.
      let isPair = byte == HTTPBytes.lineFeed && lastWasCarriageReturn
      lastWasCarriageReturn = byte == HTTPBytes.carriageReturn
      if isPair { continue }
      if byte == HTTPBytes.lineFeed || byte == HTTPBytes.carriageReturn {
        if let event = try endLine() { events.append(event) }
        continue
      }
      guard line.count < limit else { throw .tooLong }
      line.append(byte)
    }
    return events
  }

  private mutating func endLine() throws(Fault) -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: true) }
    if isFirstLine {
      isFirstLine = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    guard !line.isEmpty else { return dispatch() }
    let colon = line.firstIndex(of: HTTPBytes.colon) ?? line.endIndex
    var value = line[min(colon + 1, line.endIndex)...]
    if value.first == HTTPBytes.space { value.removeFirst() }
    try take(name: line[..<colon], value: value)
    return nil
  }

  private mutating func take(
    name: ArraySlice<UInt8>, value: ArraySlice<UInt8>
  ) throws(Fault) {
    if name.elementsEqual("data".utf8) {
      guard data.count + value.count + 1 <= limit else { throw .tooLong }
      if hasData { data.append(HTTPBytes.lineFeed) }
      data.append(contentsOf: value)
      hasData = true
    } else if name.elementsEqual("event".utf8) {
      event = Array(value)
    } else if name.elementsEqual("id".utf8) {
      if !value.contains(0) { pendingID = String(decoding: value, as: UTF8.self) }
    } else if name.elementsEqual("retry".utf8) {
      // More digits would be longer than anybody waits.
      if !value.isEmpty, value.count <= 9, value.allSatisfy(HTTPBytes.isDigit) {
        retryMilliseconds = value.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      }
    }
    // Comments (an empty name) and names that nobody knows are skipped.
  }

  private mutating func dispatch() -> ServerSentEvent? {
    defer {
      event = []
      data = []
      hasData = false
    }
    lastEventID = pendingID
    guard hasData else { return nil }
    let name = String(decoding: event.filter { $0 != 0 }, as: UTF8.self)
    return ServerSentEvent(
      event: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self),
      id: lastEventID.isEmpty ? nil : lastEventID)
  }
}
