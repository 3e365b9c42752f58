/// Requests out of bytes, in whatever pieces they come. It does no I/O: the caller appends what it
/// has read with `feed`, then asks for a head, and for that head's body.
package struct HTTPRequestParser {
  private let limits: HTTPLimits
  var input = HTTPInput()
  /// An empty line came before the request line: RFC 9112, section 2.2, has us skip one.
  private var hasSkippedLine = false
  private var partial: PartialHead?
  private var decoder = BodyDecoder(.none, limits: HTTPLimits())
  private var body: [UInt8] = []

  /// A head whose fields have not all come.
  private final class PartialHead {
    let line: RequestLine
    var section: FieldSection

    init(_ line: RequestLine, _ section: FieldSection) {
      self.line = line
      self.section = section
    }
  }

  package init(limits: HTTPLimits) { self.limits = limits }

  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    input.bytes.append(contentsOf: bytes)
  }

  /// Nothing of a next request has arrived.
  package var isIdle: Bool { partial == nil && !hasSkippedLine && input.isEmpty }

  /// The head of the next request, or `nil` when more bytes have to arrive.
  ///
  /// - Throws: what has to be answered before the connection is closed. The parser is of no use
  ///   afterwards.
  package mutating func nextHead() throws(HTTPRefusal) -> HTTPRequestHead? {
    if let partial {
      guard try partial.section.read(from: &input) else { return nil }
      self.partial = nil
      return try head(partial.line, partial.section)
    }
    while true {
      input.compact()
      guard let range = try input.nextLine(limit: limits.startLine, orRefuse: Self.longLine) else {
        return nil
      }
      guard range.isEmpty else {
        hasSkippedLine = false
        let line = try RequestLine(input.bytes.span.extracting(range))
        var section = FieldSection(limits: limits)
        if try section.read(from: &input) { return try head(line, section) }
        partial = PartialHead(line, section)
        return nil
      }
      guard !hasSkippedLine else { throw HTTPRefusal(400, "There is no request line.") }
      hasSkippedLine = true
    }
  }

  private mutating func head(
    _ line: RequestLine, _ section: FieldSection
  ) throws(HTTPRefusal) -> HTTPRequestHead {
    let head = try HTTPRequestHead.read(line, section, limits: limits)
    if head.framing != .none {
      decoder = BodyDecoder(head.framing, limits: limits)
      body = []
    }
    // An answer may take minutes: a long head is not kept twice for it.
    input.compact()
    return head
  }

  /// Bytes that it keeps of a request that is not whole yet, and room for what is announced of it.
  var heldBytes: Int {
    var count = input.bytes.capacity + max(body.capacity, decoder.announced)
    if let partial {
      count += partial.line.path.utf8.count + (partial.line.query?.utf8.count ?? 0)
      count += partial.section.headers.wire.capacity
    }
    return count
  }

  /// Makes room for a body whose length is known, so that it does not move while it grows.
  mutating func reserveBody() { body.reserveCapacity(decoder.announced) }

  /// The body of the request whose head was answered last, or `nil` when more has to arrive.
  package mutating func nextBody() throws(HTTPRefusal) -> [UInt8]? {
    guard try decoder.read(from: &input, into: &body) else {
      input.compact()
      return nil
    }
    let result = body
    body = []
    decoder = BodyDecoder(.none, limits: limits)
    return result
  }

  private static var longLine: HTTPRefusal { HTTPRefusal(414, "The request line is too long.") }
}

/// The head of a request, and what it means for the connection.
package struct HTTPRequestHead: Sendable {
  /// Its body is still empty.
  package var request: HTTPRequest
  package let framing: BodyFraming
  /// The client waits for `100 Continue` before it sends its body.
  package let expectsContinue: Bool
  /// The client is ready to send another request on this connection.
  package let persists: Bool

  /// Of a request whose header section is complete. Not an initializer: that would copy both.
  static func read(
    _ line: RequestLine, _ section: FieldSection, limits: HTTPLimits
  ) throws(HTTPRefusal) -> HTTPRequestHead {
    let fields = section.framing
    let framing = try framing(fields, line.version, limits)
    let host = try host(fields, line)
    guard fields.expectation != .other else {
      throw HTTPRefusal(417, "Only \"100-continue\" can be expected.")
    }
    return HTTPRequestHead(
      request: HTTPRequest(
        method: line.method, path: line.path, query: line.query, version: line.version,
        headers: section.headers, host: host), framing: framing,
      expectsContinue: fields.expectation == .continues && line.version == .http11
        && framing != .none,
      persists: !fields.closes && (line.version == .http11 || fields.keepsAlive))
  }

  private static func framing(
    _ fields: FramingFields, _ version: HTTPVersion, _ limits: HTTPLimits
  ) throws(HTTPRefusal) -> BodyFraming {
    if let coding = fields.transferEncoding {
      guard fields.contentLength == nil else {
        throw HTTPRefusal(400, "Content-Length and Transfer-Encoding exclude each other.")
      }
      guard version == .http11 else {
        throw HTTPRefusal(400, "HTTP/1.0 has no Transfer-Encoding.")
      }
      switch coding {
      case .chunked: return .chunked
      case .other: throw HTTPRefusal(501, "The only transfer coding here is \"chunked\".")
      }
    }
    guard let length = fields.contentLength, length > 0 else { return .none }
    guard length <= limits.bodyBytes else { throw BodyDecoder.tooLarge }
    return .length(length)
  }

  private static func host(
    _ fields: FramingFields, _ line: RequestLine
  ) throws(HTTPRefusal) -> String? {
    guard fields.hostCount <= 1, fields.hostCount == 1 || line.version == .http10 else {
      throw HTTPRefusal(400, "A request has one Host field.")
    }
    guard fields.hostCount == 0 || fields.host != nil else {
      throw HTTPRefusal(400, "Host is malformed.")
    }
    guard let authority = line.authority else { return fields.host }
    guard !authority.isEmpty, HostSyntax.allows(authority.span) else {
      throw HTTPRefusal(400, "The request target's host is malformed.")
    }
    return String(decoding: authority, as: UTF8.self)
  }
}
