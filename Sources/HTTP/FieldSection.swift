/// Reads a header or trailer section, line by line, and what of it decides where the body ends.
struct FieldSection {
  private(set) var headers = HTTPHeaders()
  private(set) var framing = FramingFields()
  private var bytesLeft: Int
  private var fieldsLeft: Int
  private let keepsFields: Bool

  /// - Parameter keepsFields: whether the fields stay, or are only checked.
  init(limits: HTTPLimits, keepsFields: Bool = true) {
    bytesLeft = limits.headerBytes
    fieldsLeft = limits.headerCount
    self.keepsFields = keepsFields
    guard keepsFields else { return }
    // A browser sends about 600 bytes in 15 fields; less is needed by others.
    headers.reserve(fields: 16, bytes: 512)
  }

  /// - Returns: `true` when the empty line that ends the section was consumed.
  mutating func read(from input: inout HTTPInput) throws(HTTPRefusal) -> Bool {
    while true {
      let limit = max(bytesLeft - 2, 0)
      guard let line = try input.nextLine(limit: limit, orRefuse: FieldSection.tooLarge) else {
        return false
      }
      if line.isEmpty { return true }
      guard fieldsLeft > 0, line.count + 2 <= bytesLeft else { throw FieldSection.tooLarge }
      fieldsLeft -= 1
      bytesLeft -= line.count + 2
      try add(input.bytes.span.extracting(line))
    }
  }

  private mutating func add(_ line: Span<UInt8>) throws(HTTPRefusal) {
    var end = 0
    while end < line.count, HTTPBytes.isToken(line[end]) { end += 1 }
    guard end > 0, end < line.count, line[end] == HTTPBytes.colon else {
      throw FieldSection.fault(in: line)
    }
    let name = line.extracting(..<end)
    let value = line.extracting(line.trimmed(end + 1, line.count))
    try framing.note(name: name, value: value)
    if keepsFields { headers.append(name: name, value: value) }
  }

  private static let tooLarge = HTTPRefusal(431, "The header section is too large.")

  private static func fault(in line: Span<UInt8>) -> HTTPRefusal {
    if !line.isEmpty, HTTPBytes.isBlank(line[0]) {
      return HTTPRefusal(400, "A header line is folded.")
    }
    return HTTPRefusal(400, "A header line is not \"name: value\".")
  }
}

/// The fields that decide where a message ends and what becomes of its connection.
struct FramingFields {
  /// How often `Host` came, and what it said last; `nil` where that is no host.
  private(set) var hostCount = 0
  private(set) var host: String?
  /// The body's length; `Int.max` for one that does not fit.
  private(set) var contentLength: Int?
  private(set) var transferEncoding: TransferEncoding?
  private(set) var closes = false
  private(set) var keepsAlive = false
  private(set) var expectation: Expectation?

  enum TransferEncoding { case chunked, other }
  enum Expectation { case continues, other }

  /// - Throws: 400 for a length that is no number or came before, and for a repeated coding.
  mutating func note(name: Span<UInt8>, value: Span<UInt8>) throws(HTTPRefusal) {
    // The length of the name leaves one candidate; most fields match none.
    switch name.count {
    case 4 where name.hasInAnyCase("host"):
      hostCount += 1
      host = HostSyntax.allows(value) ? value.text : nil
    case 6 where name.hasInAnyCase("expect"):
      // What cannot be met stays so, whatever else is expected besides.
      guard expectation != .other else { return }
      expectation = value.hasInAnyCase("100-continue") ? .continues : .other
    case 10 where name.hasInAnyCase("connection"): noteOptions(value)
    case 14 where name.hasInAnyCase("content-length"):
      // Two lengths are refused even when they are equal: somebody joined two messages.
      guard contentLength == nil else {
        throw HTTPRefusal(400, "Content-Length is given twice.")
      }
      contentLength = try FramingFields.length(value)
    case 17 where name.hasInAnyCase("transfer-encoding"):
      guard transferEncoding == nil, !value.isEmpty else {
        throw HTTPRefusal(400, "Transfer-Encoding is empty or given twice.")
      }
      transferEncoding = value.hasInAnyCase("chunked") ? .chunked : .other
    default: break
    }
  }

  private mutating func noteOptions(_ list: Span<UInt8>) {
    var start = 0
    while start < list.count {
      let end = list.firstIndex(of: UInt8(ascii: ","), from: start) ?? list.count
      let option = list.extracting(list.trimmed(start, end))
      if option.hasInAnyCase("close") { closes = true }
      if option.hasInAnyCase("keep-alive") { keepsAlive = true }
      start = end + 1
    }
  }

  /// Digits only: number parsers take signs and other scripts' digits too.
  private static func length(_ value: Span<UInt8>) throws(HTTPRefusal) -> Int {
    guard !value.isEmpty, value.all(HTTPBytes.isDigit) else {
      throw HTTPRefusal(400, "Content-Length is not a number.")
    }
    var result = 0
    for index in value.indices {
      let (product, over) = result.multipliedReportingOverflow(by: 10)
      let (sum, past) = product.addingReportingOverflow(Int(value[index] - UInt8(ascii: "0")))
      if over || past { return .max }
      result = sum
    }
    return result
  }
}
