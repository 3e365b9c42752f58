/// Where a message's body ends (RFC 9112, section 6.3).
package enum BodyFraming: Sendable, Equatable {
  case none
  case length(Int)
  case chunked
  /// For responses only.
  case untilClose
}

/// Takes a body out of the input, piece by piece.
struct BodyDecoder {
  private enum State {
    case length(Int)
    case untilClose
    case chunkSize
    case chunkData(Int)
    case chunkEnd
    case trailers(FieldSection)
    case done
  }

  /// The body's length where it is known before the body; 0 else.
  let announced: Int
  private var state: State
  private let limits: HTTPLimits
  /// Bytes of the body that may still come.
  private var bytesLeft: Int
  private var extensionBytesLeft: Int

  init(_ framing: BodyFraming, limits: HTTPLimits) {
    switch framing {
    case .none: state = .done
    case .length(let count): state = count == 0 ? .done : .length(count)
    case .chunked: state = .chunkSize
    case .untilClose: state = .untilClose
    }
    if case .length(let count) = framing { announced = count } else { announced = 0 }
    self.limits = limits
    bytesLeft = limits.bodyBytes
    extensionBytesLeft = limits.chunkExtensionBytes
  }

  var isDone: Bool {
    if case .done = state { return true }
    return false
  }

  /// Whether the end of the connection is the end of this body.
  var endsWithConnection: Bool {
    if case .untilClose = state { return true }
    return false
  }

  /// Appends what is there to `body`.
  ///
  /// - Returns: `true` at the end of the body, `false` when more has to arrive.
  /// - Throws: 413 for a body over the limit, 400 for broken chunks, 431 for long trailers.
  mutating func read(
    from input: inout HTTPInput, into body: inout [UInt8]
  ) throws(HTTPRefusal) -> Bool {
    while true {
      switch state {
      case .length(let rest):
        let piece = try take(upTo: rest, from: &input, into: &body)
        guard piece == rest else {
          state = .length(rest - piece)
          return false
        }
        state = .done
      case .untilClose:
        _ = try take(upTo: .max, from: &input, into: &body)
        return false
      case .chunkSize:
        guard let size = try chunkSize(from: &input) else { return false }
        state =
          size == 0
          ? .trailers(FieldSection(limits: limits, keepsFields: false)) : .chunkData(size)
      case .chunkData(let rest):
        let piece = try take(upTo: rest, from: &input, into: &body)
        guard piece == rest else {
          state = .chunkData(rest - piece)
          return false
        }
        state = .chunkEnd
      case .chunkEnd:
        guard try chunkEnd(from: &input) else { return false }
        state = .chunkSize
      case .trailers(var section):
        // Trailers are checked like headers and not kept: nothing here has a use for them, and
        // nobody counts their memory.
        let complete = try section.read(from: &input)
        state = complete ? .done : .trailers(section)
        guard complete else { return false }
      case .done:
        return true
      }
    }
  }

  private mutating func take(
    upTo limit: Int, from input: inout HTTPInput, into body: inout [UInt8]
  ) throws(HTTPRefusal) -> Int {
    let piece = input.take(upTo: limit)
    guard piece.count <= bytesLeft else { throw BodyDecoder.tooLarge }
    bytesLeft -= piece.count
    body.append(contentsOf: piece)
    return piece.count
  }

  static let tooLarge = HTTPRefusal(413, "The body is too large.")

  /// Digits of a chunk size: seven of them are 256 MiB, more than any limit here, so that no sum
  /// of sizes overflows; zeros in front are padding that some senders use.
  private static let sizeDigits = 7
  private static let sizeDigitsWithZeros = 16

  private mutating func chunkSize(from input: inout HTTPInput) throws(HTTPRefusal) -> Int? {
    let limit = BodyDecoder.sizeDigitsWithZeros + extensionBytesLeft
    let tooLong = HTTPRefusal(400, "A chunk's first line is too long.")
    guard let range = try input.nextLine(limit: limit, orRefuse: tooLong) else { return nil }
    let line = input.bytes[range]
    let digits = line.prefix { HTTPBytes.hexValue($0) != nil }
    guard !digits.isEmpty, digits.count <= BodyDecoder.sizeDigitsWithZeros,
      digits.drop(while: { $0 == UInt8(ascii: "0") }).count <= BodyDecoder.sizeDigits
    else { throw HTTPRefusal(400, "A chunk has no size, or an impossible one.") }
    let size = digits.reduce(0) { $0 << 4 | Int(HTTPBytes.hexValue($1) ?? 0) }
    guard size <= bytesLeft else { throw BodyDecoder.tooLarge }
    // Extensions are read over (RFC 9112, section 7.1.1); a line of HTTPInput has no control
    // characters, so none of them can hide a line end.
    let rest = line[digits.endIndex...]
    if !rest.isEmpty {
      let first = rest.first { !HTTPBytes.isBlank($0) }
      guard first == UInt8(ascii: ";"), rest.count <= extensionBytesLeft else {
        throw HTTPRefusal(400, "A chunk's size is followed by something else.")
      }
      extensionBytesLeft -= rest.count
    }
    return size
  }

  private func chunkEnd(from input: inout HTTPInput) throws(HTTPRefusal) -> Bool {
    guard let first = input.peek() else { return false }
    let second = input.peek(1)
    guard first == HTTPBytes.carriageReturn, second ?? HTTPBytes.lineFeed == HTTPBytes.lineFeed
    else { throw HTTPRefusal(400, "A chunk does not end where its size says.") }
    guard second != nil else { return false }
    _ = input.take(upTo: 2)
    return true
  }
}
