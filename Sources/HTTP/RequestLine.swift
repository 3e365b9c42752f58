/// The first line of a request (RFC 9112, section 3).
struct RequestLine {
  let method: HTTPMethod
  let path: String
  let query: String?
  let version: HTTPVersion
  /// The authority of an absolute-form target, which then counts instead of `Host`; not checked.
  let authority: [UInt8]?

  /// - Throws: 400 for a line that is none, 405 for targets that are no resource of ours, 505 for
  ///   another major version, 421 for another scheme.
  init(_ line: Span<UInt8>) throws(HTTPRefusal) {
    guard let methodEnd = line.firstIndex(of: HTTPBytes.space), methodEnd > 0,
      line.extracting(..<methodEnd).all(HTTPBytes.isToken)
    else { throw HTTPRefusal(400, "The request line does not begin with a method.") }
    guard let targetEnd = line.firstIndex(of: HTTPBytes.space, from: methodEnd + 1) else {
      throw HTTPRefusal(400, "The request line has no version: HTTP/0.9 is not served.")
    }
    version = try RequestLine.version(line.extracting((targetEnd + 1)...))
    let target = line.extracting((methodEnd + 1)..<targetEnd)
    guard !target.isEmpty, target.all(RequestLine.isTarget) else {
      throw HTTPRefusal(400, "The request target is empty or has a character that it may not have.")
    }
    method = HTTPMethod(token: line.extracting(..<methodEnd))
    if method == .connect || (method == .options && target.has("*")) {
      throw HTTPRefusal(405, "Only resources are served here.", headers: [.allow: ""])
    }
    var start = 0
    if target[0] == UInt8(ascii: "/") {
      authority = nil
    } else {
      let host = try RequestLine.schemeCount(target)
      start = host
      while start < target.count, target[start] != UInt8(ascii: "/"),
        target[start] != UInt8(ascii: "?")
      {
        start += 1
      }
      authority = target.extracting(host..<start).withUnsafeBufferPointer { Array($0) }
    }
    let mark = target.firstIndex(of: UInt8(ascii: "?"), from: start)
    let end = mark ?? target.count
    path = start == end ? "/" : target.extracting(start..<end).text
    query = mark.map { target.extracting(($0 + 1)...).text }
  }

  /// Browsers send more than RFC 3986 allows in a query (`|`, `[`, `\`), and it hurts nobody:
  /// any visible character but those that end or quote an address is taken.
  private static func isTarget(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): false
    default: HTTPBytes.isVisible(byte)
    }
  }

  private static func version(_ bytes: Span<UInt8>) throws(HTTPRefusal) -> HTTPVersion {
    guard bytes.count == 8, bytes.extracting(..<5).has("HTTP/") else { throw noVersion }
    let (major, minor) = (bytes[5], bytes[7])
    guard HTTPBytes.isDigit(major), HTTPBytes.isDigit(minor), bytes[6] == UInt8(ascii: ".")
    else { throw noVersion }
    guard major == UInt8(ascii: "1") else {
      throw HTTPRefusal(505, "Only HTTP/1.1 and HTTP/1.0 are served.")
    }
    return minor == UInt8(ascii: "0") ? .http10 : .http11
  }

  /// How many bytes the scheme of an absolute-form target has.
  private static func schemeCount(_ target: Span<UInt8>) throws(HTTPRefusal) -> Int {
    if target.extracting(first: 7).hasInAnyCase("http://") { return 7 }
    if target.extracting(first: 8).hasInAnyCase("https://") {
      throw HTTPRefusal(421, "This is no HTTPS server.")
    }
    throw notATarget
  }

  private static let noVersion = HTTPRefusal(400, "The request line does not end in a version.")
  private static let notATarget = HTTPRefusal(400, "The request target is not a path.")
}

/// The syntax of `Host` (RFC 9110, section 7.2; RFC 3986, section 3.2).
enum HostSyntax {
  /// A name, an address, or an address in brackets, with or without a port. It may be empty, as
  /// clients of Unix sockets have nothing to put there; user information has no place in it.
  static func allows(_ bytes: Span<UInt8>) -> Bool {
    var end = 0
    if !bytes.isEmpty, bytes[0] == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), bracket > 1,
        bytes.extracting(1..<bracket).all(isLiteral)
      else { return false }
      end = bracket + 1
    } else {
      end = bytes.firstIndex(of: HTTPBytes.colon) ?? bytes.count
      let name = bytes.extracting(..<end)
      guard name.all(isName) else { return false }
      if name.firstIndex(of: UInt8(ascii: "%")) != nil,
        name.withUnsafeBufferPointer({ PercentCoding.decode($0) }) == nil
      {
        return false
      }
    }
    if end == bytes.count { return true }
    return bytes[end] == HTTPBytes.colon && bytes.extracting((end + 1)...).all(HTTPBytes.isDigit)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    HTTPBytes.isAlphanumeric(byte) || "-._~%!$&'()*+,;=".utf8.contains(byte)
  }

  private static func isLiteral(_ byte: UInt8) -> Bool {
    HTTPBytes.hexValue(byte) != nil || byte == HTTPBytes.colon || byte == UInt8(ascii: ".")
  }
}
