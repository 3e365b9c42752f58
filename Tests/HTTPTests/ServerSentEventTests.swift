import HTTP
import Testing

@Suite struct ServerSentEventTests {
  @Test(arguments: [
    (ServerSentEvent(data: ""), "data: \n\n"),
    (ServerSentEvent(data: "a"), "data: a\n\n"),
    (ServerSentEvent(event: "request", data: "{}", id: "7"), "id: 7\nevent: request\ndata: {}\n\n"),
    (ServerSentEvent(data: "a\nb\r\nc\rd\n"), "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n"),
    (ServerSentEvent(data: "\r\n"), "data: \ndata: \n\n"),
    (ServerSentEvent(data: " x", id: ""), "id: \ndata:  x\n\n"),
  ])
  func writesAnEvent(_ event: ServerSentEvent, _ text: String) {
    #expect(event.bytes == Array(text.utf8))
  }

  /// Feeds the text whole, byte by byte and cut in two everywhere.
  private func parse(_ text: String) throws -> [ServerSentEvent] {
    let bytes = Array(text.utf8)
    var parser = ServerSentEventParser()
    let whole = try parser.feed(bytes)
    var single = ServerSentEventParser()
    #expect(try bytes.flatMap { byte in try single.feed([byte]) } == whole)
    for cut in bytes.indices {
      var parser = ServerSentEventParser()
      let first = try parser.feed(bytes[..<cut])
      #expect(try first + parser.feed(bytes[cut...]) == whole)
    }
    return whole
  }

  @Test(arguments: [
    ("data: a\n\n", ["message|a|"]),
    ("data:a\r\rdata:b\r\n\r\n", ["message|a|", "message|b|"]),
    ("data: a\ndata: b\ndata\n\n", ["message|a\nb\n|"]),
    ("\u{FEFF}data: a\n\n", ["message|a|"]),
    (": comment\n\ndata: a\n: more\n\n", ["message|a|"]),
    ("event: e\nid: 1\ndata: a\n\ndata: b\n\n", ["e|a|1", "message|b|1"]),
    ("event: e\n\ndata: a\n\n", ["message|a|"]),
    ("id: 1\n\ndata: a\n\nid\ndata: b\n\n", ["message|a|1", "message|b|"]),
    ("id: 1\0\ndata: a\n\n", ["message|a|"]),
    // Found by fuzzing: without its NULs a name may be empty.
    ("event: \0\ndata: a\n\n", ["message|a|"]),
    ("data: a\n", []),
    ("data:  two\nDATA: x\ndata : y\nunknown: z\n\n", ["message| two|"]),
  ])
  func readsEvents(_ text: String, _ expected: [String]) throws {
    #expect(try parse(text).map { "\($0.event)|\($0.data)|\($0.id ?? "")" } == expected)
  }

  @Test func readsWhatItWrites() throws {
    for data in ["", "a", "\n", "a\n\nb", " lead", ":", "data: x", "é\u{2028}"] {
      let event = ServerSentEvent(event: "request", data: data, id: "12")
      #expect(try parse(String(decoding: event.bytes, as: UTF8.self)) == [event])
    }
    #expect(try parse(String(decoding: ServerSentEvent.comment, as: UTF8.self)) == [])
    var parser = ServerSentEventParser()
    #expect(try parser.feed(ServerSentEvent.beginning(at: "1042")) == [])
    #expect(parser.lastEventID == "1042")
  }

  @Test func theLastIDIsThatOfTheLastWholeEvent() throws {
    var parser = ServerSentEventParser(lastEventID: "4")
    #expect(parser.lastEventID == "4")
    _ = try parser.feed("id: 5\ndata: a\n".utf8)
    #expect(parser.lastEventID == "4")
    _ = try parser.feed("\nid: 6\n".utf8)
    #expect(parser.lastEventID == "5")
  }

  @Test func readsRetry() throws {
    var parser = ServerSentEventParser()
    _ = try parser.feed("retry: 2500\nretry: -1\nretry: 1s\nretry:\n".utf8)
    #expect(parser.retryMilliseconds == 2500)
  }

  @Test func aLineEndsAtItsLimit() throws {
    var parser = ServerSentEventParser(limit: 100)
    _ = try parser.feed(Array(repeating: UInt8(ascii: "x"), count: 100) + [10])
    #expect(throws: ServerSentEventParser.Fault.tooLong) {
      try parser.feed(Array(repeating: UInt8(ascii: "x"), count: 101))
    }
  }

  @Test func theDataOfAnEventEndsAtItsLimit() throws {
    let line = Array("data:\(String(repeating: "x", count: 49))\n".utf8)
    var parser = ServerSentEventParser(limit: 100)
    _ = try parser.feed(line + line)
    #expect(throws: ServerSentEventParser.Fault.tooLong) { try parser.feed(line) }
  }
}
