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
      let refusal = FieldSection.tooLarge
      guard let line = try input.nextLine(limit: max(bytesLeft - 2, 0), orRefuse: refusal) else {
        return false
      }
      if line.isEmpty { return true }
      guard fieldsLeft > 0, line.count + 2 <= bytesLeft else { throw FieldSection.tooLarge }
      fieldsLeft -= 1
      bytesLeft -= line.count + 2
      try add(input.bytes[line])
    }
  }

  private mutating func add(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) {
    var end = line.startIndex
    while end < line.endIndex, HTTPBytes.isToken(line[end]) { end += 1 }
    guard end > line.startIndex, end < line.endIndex, line[end] == HTTPBytes.colon else {
      throw FieldSection.fault(in: line)
    }
    let name = line[..<end]
    let value = HTTPBytes.trimmed(line[(end + 1)...])
    try framing.note(name: name, value: value)
    if keepsFields { headers.append(name: name, value: value) }
  }

  private static let tooLarge = HTTPRefusal(431, "The header section is too large.")

  private static func fault(in line: ArraySlice<UInt8>) -> HTTPRefusal {
    if let first = line.first, HTTPBytes.isBlank(first) {
      return HTTPRefusal(400, "A header line is folded.")
    }
    return HTTPRefusal(400, "A header line is not \"name: value\".")
  }
}

/// The fields that decide where a message ends and what becomes of its connection.
struct FramingFields {
  /// How often `Host` came, and what it said last.
  private(set) var hostCount = 0
  private(set) var host: ArraySlice<UInt8> = []
  /// The body's length; `Int.max` for one that does not fit.
  private(set) var contentLength: Int?
  private(set) var transferEncoding: TransferEncoding?
  private(set) var closes = false
  private(set) var keepsAlive = false
  private(set) var expectation: Expectation?

  enum TransferEncoding { case chunked, other }
  enum Expectation { case continues, other }

  /// - Throws: 400 for a length that is no number or came before, and for a repeated coding.
  mutating func note(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) throws(HTTPRefusal) {
    // The length of the name leaves one candidate; most fields match none.
    switch name.count {
    case 4 where HTTPHeaders.equal(name, "host".utf8):
      hostCount += 1
      host = value
    case 6 where HTTPHeaders.equal(name, "expect".utf8):
      // What cannot be met stays so, whatever else is expected besides.
      guard expectation != .other else { return }
      expectation = HTTPHeaders.equal(value, "100-continue".utf8) ? .continues : .other
    case 10 where HTTPHeaders.equal(name, "connection".utf8):
      for option in value.split(separator: UInt8(ascii: ",")) {
        let option = HTTPBytes.trimmed(option)
        if HTTPHeaders.equal(option, "close".utf8) { closes = true }
        if HTTPHeaders.equal(option, "keep-alive".utf8) { keepsAlive = true }
      }
    case 14 where HTTPHeaders.equal(name, "content-length".utf8):
      // Two lengths are refused even when they are equal: somebody joined two messages.
      guard contentLength == nil else {
        throw HTTPRefusal(400, "Content-Length is given twice.")
      }
      contentLength = try FramingFields.length(value)
    case 17 where HTTPHeaders.equal(name, "transfer-encoding".utf8):
      guard transferEncoding == nil, !value.isEmpty else {
        throw HTTPRefusal(400, "Transfer-Encoding is empty or given twice.")
      }
      transferEncoding = HTTPHeaders.equal(value, "chunked".utf8) ? .chunked : .other
    default: break
    }
  }

  /// Digits only: number parsers take signs and other scripts' digits too.
  private static func length(_ value: ArraySlice<UInt8>) throws(HTTPRefusal) -> Int {
    guard !value.isEmpty, value.allSatisfy(HTTPBytes.isDigit) else {
      throw HTTPRefusal(400, "Content-Length is not a number.")
    }
    var result = 0
    for digit in value {
      let (product, over) = result.multipliedReportingOverflow(by: 10)
      let (sum, past) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      if over || past { return .max }
      result = sum
    }
    return result
  }
}
