/// An absolute http or https URL, split on its bytes (RFC 3986) and never repaired: what a
/// browser, curl and this library would read differently (backslashes, blanks, `127.1`, a host
/// in Unicode) is refused.
package struct WebURL: Sendable {
  /// Bytes of the longest URL that is read.
  package static let longest = 8 * 1024

  /// `https` or `http`.
  package let scheme: String
  /// In lower case; an IPv6 literal with its brackets.
  let host: String
  /// As written; `nil` where the scheme's own is meant.
  let port: UInt16?
  package let hasUserInfo: Bool
  /// As written, `""` or beginning with a slash.
  let path: String
  package let query: String?
  package let fragment: String?

  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.longest, bytes.allSatisfy(Self.mayStand),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    switch String(decoding: bytes[..<colon], as: UTF8.self).lowercased() {
    case "https": scheme = "https"
    case "http": scheme = "http"
    default: return nil
    }
    let rest = bytes[(colon + 1)...]
    guard rest.starts(with: "//".utf8) else { return nil }
    let afterSlashes = rest.dropFirst(2)
    let authority = afterSlashes.prefix { byte in
      byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
    }
    let at = authority.lastIndex(of: UInt8(ascii: "@"))
    hasUserInfo = at != nil
    let hostAndPort = at.map { authority[($0 + 1)...] } ?? authority
    guard let (host, port) = Self.hostAndPort(hostAndPort) else { return nil }
    self.host = host
    self.port = port

    let tail = afterSlashes[authority.endIndex...]
    let beforeFragment = tail.prefix { $0 != UInt8(ascii: "#") }
    let pathBytes = beforeFragment.prefix { $0 != UInt8(ascii: "?") }
    path = String(decoding: pathBytes, as: UTF8.self)
    query =
      pathBytes.endIndex < beforeFragment.endIndex
      ? String(decoding: beforeFragment[(pathBytes.endIndex + 1)...], as: UTF8.self) : nil
    fragment =
      beforeFragment.endIndex < tail.endIndex
      ? String(decoding: tail[(beforeFragment.endIndex + 1)...], as: UTF8.self) : nil
    let parts = [path, query ?? "", fragment ?? ""]
    guard parts.allSatisfy({ (try? FormQuery.decoded($0.utf8, plusIsSpace: false)) != nil }) else {
      return nil
    }
  }

  /// `https://host`, with the port where it is not the scheme's own.
  package var origin: String {
    guard let port, port != (scheme == "https" ? 443 : 80) else { return "\(scheme)://\(host)" }
    return "\(scheme)://\(host):\(port)"
  }

  /// Whether the host is this machine, as written: `localhost`, `[::1]`, `127.x.y.z`.
  package var isLoopback: Bool { Self.isLoopback(host: host) }

  /// https, or http that does not leave this machine.
  var isPrivate: Bool { scheme == "https" || isLoopback }
}

extension WebURL {
  /// Splits and checks `host`, `host:port`, `[v6]`, `[v6]:port`.
  static func hostAndPort(_ bytes: ArraySlice<UInt8>) -> (host: String, port: UInt16?)? {
    let end: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let closing = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      end = closing + 1
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    }
    let host = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
    guard isHost(host) else { return nil }
    if end == bytes.endIndex { return (host, nil) }
    let digits = bytes[(end + 1)...]
    guard bytes[end] == UInt8(ascii: ":"), (1...5).contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
    else { return nil }
    return (host, port)
  }

  /// RFC 1123 names (and the dotted quads that look like them), and IPv6 in brackets.
  static func isHost(_ host: String) -> Bool {
    if host.hasPrefix("[") { return isIPv6(host.dropFirst().dropLast()) }
    guard (1...253).contains(host.utf8.count) else { return false }
    let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy(isLabel), let last = labels.last else { return false }
    // What ends in a number is an address to everybody else: only the plain form of one is taken.
    guard last.allSatisfy(isDigit) || last.starts(with: "0x".utf8) else { return true }
    return isIPv4(host)
  }

  static func isLoopback(host: String) -> Bool {
    host == "localhost" || host == "[::1]" || (host.hasPrefix("127.") && isIPv4(host))
  }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
      && label.allSatisfy { byte in
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || byte == hyphen || byte == UInt8(ascii: "_")
      }
  }

  private static func isIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy(isDigit) else { return false }
        return (part.utf8.count == 1 || part.first != "0") && (Int(part) ?? 256) <= 255
      }
  }

  /// Groups of hex digits with at most one `::`. No zone, no dotted tail.
  private static func isIPv6(_ text: Substring) -> Bool {
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    guard (1...2).contains(halves.count) else { return false }
    var groups = 0
    for half in halves where !half.isEmpty {
      for group in half.split(separator: ":", omittingEmptySubsequences: false) {
        guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy(isHexDigit) else {
          return false
        }
        groups += 1
      }
    }
    return halves.count == 2 ? groups <= 7 : groups == 8
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  /// What may stand in a URL: no blank, no control character, none of the signs that browsers
  /// repair. Bytes of UTF-8 may; a host is checked on its own.
  private static func mayStand(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7f, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
      UInt8(ascii: "|"), UInt8(ascii: "}"):
      false
    default: true
    }
  }
}
