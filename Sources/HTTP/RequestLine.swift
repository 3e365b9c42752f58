/// The first line of a request (RFC 9112, section 3).
struct RequestLine {
  let method: HTTPMethod
  let path: String
  let query: String?
  let version: HTTPVersion
  /// The authority of an absolute-form target, which then counts instead of `Host`.
  let authority: ArraySlice<UInt8>?

  /// - Throws: 400 for a line that is none, 405 for targets that are no resource of ours, 505 for
  ///   another major version, 421 for another scheme.
  init(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) {
    guard let methodEnd = HTTPBytes.firstIndex(of: HTTPBytes.space, in: line),
      methodEnd > line.startIndex, HTTPBytes.all(line[..<methodEnd], HTTPBytes.isToken)
    else { throw HTTPRefusal(400, "The request line does not begin with a method.") }
    let rest = line[(methodEnd + 1)...]
    guard let targetEnd = HTTPBytes.firstIndex(of: HTTPBytes.space, in: rest) else {
      throw HTTPRefusal(400, "The request line has no version: HTTP/0.9 is not served.")
    }
    version = try RequestLine.version(rest[(targetEnd + 1)...])
    let target = rest[..<targetEnd]
    guard let first = target.first, HTTPBytes.all(target, RequestLine.isTarget) else {
      throw HTTPRefusal(400, "The request target is empty or has a character that it may not have.")
    }
    method = HTTPMethod(token: line[..<methodEnd])
    if method == .connect || (method == .options && target.elementsEqual("*".utf8)) {
      throw HTTPRefusal(405, "Only resources are served here.", headers: [.allow: ""])
    }
    let resource: ArraySlice<UInt8>
    if first == UInt8(ascii: "/") {
      authority = nil
      resource = target
    } else {
      let host = try RequestLine.afterScheme(target)
      let end = host.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      authority = host[..<(end ?? host.endIndex)]
      resource = host[(end ?? host.endIndex)...]
    }
    let mark = HTTPBytes.firstIndex(of: UInt8(ascii: "?"), in: resource)
    let pathBytes = resource[..<(mark ?? resource.endIndex)]
    path = pathBytes.isEmpty ? "/" : String(decoding: pathBytes, as: UTF8.self)
    query = mark.map { String(decoding: resource[($0 + 1)...], as: UTF8.self) }
  }

  /// Browsers send more than RFC 3986 allows in a query (`|`, `[`, `\`), and it hurts nobody:
  /// any visible character but those that end or quote an address is taken.
  private static func isTarget(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): false
    default: HTTPBytes.isVisible(byte)
    }
  }

  private static func version(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPVersion {
    guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8) else { throw noVersion }
    let major = bytes[bytes.startIndex + 5]
    let minor = bytes[bytes.startIndex + 7]
    guard HTTPBytes.isDigit(major), HTTPBytes.isDigit(minor),
      bytes[bytes.startIndex + 6] == UInt8(ascii: ".")
    else { throw noVersion }
    guard major == UInt8(ascii: "1") else {
      throw HTTPRefusal(505, "Only HTTP/1.1 and HTTP/1.0 are served.")
    }
    return minor == UInt8(ascii: "0") ? .http10 : .http11
  }

  private static func afterScheme(
    _ target: ArraySlice<UInt8>
  ) throws(HTTPRefusal) -> ArraySlice<UInt8> {
    if HTTPHeaders.equal(target.prefix(7), "http://".utf8) { return target.dropFirst(7) }
    if HTTPHeaders.equal(target.prefix(8), "https://".utf8) {
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
  static func allows(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    if rest.first == UInt8(ascii: "[") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end > rest.startIndex + 1,
        rest[(rest.startIndex + 1)..<end].allSatisfy(isLiteral)
      else { return false }
      rest = rest[(end + 1)...]
    } else {
      let name = rest.prefix { $0 != UInt8(ascii: ":") }
      guard HTTPBytes.all(name, isName) else { return false }
      if name.contains(UInt8(ascii: "%")), PercentCoding.decode(name) == nil { return false }
      rest = rest[name.endIndex...]
    }
    if rest.isEmpty { return true }
    return rest.first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(HTTPBytes.isDigit)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    HTTPBytes.isAlphanumeric(byte) || "-._~%!$&'()*+,;=".utf8.contains(byte)
  }

  private static func isLiteral(_ byte: UInt8) -> Bool {
    HTTPBytes.hexValue(byte) != nil || byte == HTTPBytes.colon || byte == UInt8(ascii: ".")
  }
}
