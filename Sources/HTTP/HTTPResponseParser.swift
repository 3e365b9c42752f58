/// Responses out of bytes, for the client side. Like the request parser it does no I/O, and it is
/// as strict: the answers that it reads come from servers of our own.
package struct HTTPResponseParser {
  private let limits: HTTPLimits
  var input = HTTPInput()
  private var state = State.idle
  private var decoder = BodyDecoder(.none, limits: HTTPLimits())

  private enum State {
    case idle
    case fields(HTTPStatus, HTTPVersion, FieldSection)
  }

  package init(limits: HTTPLimits) { self.limits = limits }

  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    input.bytes.append(contentsOf: bytes)
  }

  /// Nothing of a next response has arrived.
  package var isIdle: Bool {
    guard case .idle = state else { return false }
    return input.isEmpty
  }

  /// The head of the next final response, or `nil` when more bytes have to arrive. Interim
  /// responses (1xx) are read over.
  ///
  /// - Parameter isHead: whether it answers HEAD, and so has no body.
  /// - Throws: what is wrong with it; its status means nothing here.
  package mutating func nextHead(
    toHead isHead: Bool = false
  ) throws(HTTPRefusal) -> HTTPResponseHead? {
    while true {
      switch state {
      case .idle:
        input.compact()
        let tooLong = HTTPRefusal(502, "The status line is too long.")
        guard let range = try input.nextLine(limit: limits.startLine, orRefuse: tooLong) else {
          return nil
        }
        let (status, version) = try HTTPResponseParser.statusLine(input.bytes[range])
        state = .fields(status, version, FieldSection(limits: limits))
      case .fields(let status, let version, var section):
        state = .idle
        guard try section.read(from: &input) else {
          state = .fields(status, version, section)
          return nil
        }
        // 101 would change the protocol, which nobody here asks for.
        guard status.code != 101 else { throw HTTPRefusal(502, "The protocol was switched.") }
        if status.code < 200 { continue }
        let head = try HTTPResponseHead(status, version, section, toHead: isHead)
        decoder = BodyDecoder(head.framing, limits: limits)
        return head
      }
    }
  }

  /// Appends what is there of the body to `body`.
  ///
  /// - Returns: `true` at its end, `false` when more has to arrive.
  package mutating func readBody(into body: inout [UInt8]) throws(HTTPRefusal) -> Bool {
    let done = try decoder.read(from: &input, into: &body)
    if !done { input.compact() }
    return done
  }

  /// The connection has ended: whether that is a proper end of the body.
  package var mayEndHere: Bool { decoder.isDone || decoder.endsWithConnection }

  /// `HTTP/1.x SP 3DIGIT SP reason` (RFC 9112, section 4). The reason may be missing, with or
  /// without its space: some servers leave out both.
  private static func statusLine(
    _ line: ArraySlice<UInt8>
  ) throws(HTTPRefusal) -> (HTTPStatus, HTTPVersion) {
    let malformed = HTTPRefusal(502, "The answer is no HTTP/1.1.")
    guard line.count >= 12, line.starts(with: "HTTP/1.".utf8) else { throw malformed }
    let minor = line[line.startIndex + 7]
    let digits = line[(line.startIndex + 9)..<(line.startIndex + 12)]
    guard HTTPBytes.isDigit(minor), line[line.startIndex + 8] == HTTPBytes.space,
      digits.allSatisfy(HTTPBytes.isDigit),
      line.count == 12 || line[line.startIndex + 12] == HTTPBytes.space,
      let status = HTTPStatus(digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    else { throw malformed }
    return (status, minor == UInt8(ascii: "0") ? .http10 : .http11)
  }
}

/// The head of a response, and what it means for the connection.
package struct HTTPResponseHead: Sendable {
  package let status: HTTPStatus
  package let version: HTTPVersion
  package let headers: HTTPHeaders
  package let framing: BodyFraming
  /// Another request may be sent on this connection.
  package let persists: Bool

  init(
    _ status: HTTPStatus, _ version: HTTPVersion, _ section: FieldSection, toHead isHead: Bool
  ) throws(HTTPRefusal) {
    let fields = section.framing
    self.status = status
    self.version = version
    headers = section.headers
    framing = isHead || status.isBodyless ? .none : try HTTPResponseHead.framing(fields, version)
    persists =
      framing != .untilClose && !fields.closes && (version == .http11 || fields.keepsAlive)
  }

  private static func framing(
    _ fields: FramingFields, _ version: HTTPVersion
  ) throws(HTTPRefusal) -> BodyFraming {
    if let coding = fields.transferEncoding {
      guard coding == .chunked, fields.contentLength == nil, version == .http11 else {
        throw HTTPRefusal(502, "Where the answer ends cannot be told.")
      }
      return .chunked
    }
    guard let length = fields.contentLength else { return .untilClose }
    return length == 0 ? .none : .length(length)
  }
}
