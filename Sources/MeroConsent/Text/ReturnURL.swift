/// The URL that the consent page sent the person back to: a hint, never a decision.
///
/// Only the query counts, read as a form's (`FormQuery`); a fragment is not looked at. Names are
/// case-sensitive; unknown ones may be there, and may repeat. A value that exists was read in
/// full: malformed percent-encoding, UTF-8 or control characters anywhere refuse the whole URL.
public struct ReturnURL: Sendable {
  /// Bytes of the longest URL that is read.
  public static let longest = 8 * 1024

  /// In lower case; `nil` where the return was given as a path and a query.
  public let scheme: String?

  /// The host and path of a URL of the app's own scheme, without the slashes around it: `return`
  /// for each of `mero://return`, `mero:///return`, `mero:/return`, `mero:return` and
  /// `mero://return/`. Of an http or https URL, what stands between `//` and the query.
  ///
  /// Launchers may have changed the case of its first part (`MERO://RETURN`); no id is read here.
  public let place: String

  /// The request that the query names. `nil` when it names none, and when it contradicts itself.
  public let requestId: String?

  /// What the query says about the decision. Never believed, not even to decide what a page says.
  public let resultHint: String?

  /// Whether `request_id` or `result` is there twice with two values.
  public let contradictsItself: Bool

  /// Reads an absolute URL: http, https, or an app's own scheme with none to three slashes.
  ///
  /// - Throws: `RETURN_URL_MALFORMED`.
  public init(_ url: String) throws(ConsentError) {
    try self.init(bytes: Array(url.utf8))
  }

  /// Reads the bytes of a URL as a program's argument has them, which need not be UTF-8.
  package init(bytes: [UInt8]) throws(ConsentError) {
    guard bytes.count <= Self.longest, Self.isClean(bytes),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(bytes[..<colon])
    else { throw ConsentError(.returnURLMalformed) }
    let scheme = String(decoding: bytes[..<colon].map(Self.lowercased), as: UTF8.self)
    let beforeFragment = bytes[(colon + 1)...].prefix { $0 != UInt8(ascii: "#") }
    let fragment = bytes[beforeFragment.endIndex...].dropFirst()
    let hierarchy = beforeFragment.prefix { $0 != UInt8(ascii: "?") }
    let query = beforeFragment[hierarchy.endIndex...].dropFirst()
    let place = try Self.place(hierarchy, isWeb: scheme == "http" || scheme == "https")
    try self.init(scheme: scheme, place: place, query: query)
    if requestId == nil, !contradictsItself, Self.namesARequest(fragment) {
      // The sender put its values after `#`, where nobody reads them. That is a broken return, not
      // one that names no request.
      throw ConsentError(.returnURLMalformed)
    }
  }

  /// Reads the target of a request on the callback: a path, and what follows its `?`.
  ///
  /// - Throws: `RETURN_URL_MALFORMED`.
  package init(path: String, query: String?) throws(ConsentError) {
    let query = Array((query ?? "").utf8)
    guard path.utf8.count + 1 + query.count <= Self.longest, Self.isClean(query) else {
      throw ConsentError(.returnURLMalformed)
    }
    try self.init(scheme: nil, place: path, query: query[...])
  }

  private init(scheme: String?, place: String, query: ArraySlice<UInt8>) throws(ConsentError) {
    self.scheme = scheme
    self.place = place
    let pairs: [(name: String, value: String)]
    do {
      pairs = try FormQuery.pairs(in: query)
    } catch {
      throw ConsentError(.returnURLMalformed)
    }
    let ids = pairs.filter { sameBytes($0.name, "request_id") }.map(\.value)
    let results = pairs.filter { sameBytes($0.name, "result") }.map(\.value)
    guard ids.allSatisfy({ !$0.isEmpty }) else { throw ConsentError(.returnURLMalformed) }
    contradictsItself = !Self.agree(ids) || !Self.agree(results)
    requestId = contradictsItself ? nil : ids.first
    resultHint = contradictsItself ? nil : results.first
  }
}

extension ReturnURL {
  /// Whether this return is for another request than `requestId`. One that names none is not.
  public func namesAnother(than requestId: String) -> Bool {
    if contradictsItself { return true }
    guard let named = self.requestId else { return false }
    return !sameBytes(named, requestId)
  }

  /// Whether this is a return to an app's own scheme: `isReturn(to: .scheme("mero", path: "return"))`.
  ///
  /// The scheme and the first part of the path are compared without ASCII case, since launchers
  /// treat that part as a host; the rest is compared as it is.
  public func isReturn(toScheme scheme: String, path: String) -> Bool {
    guard let own = self.scheme, Self.sameWithoutCase(own, scheme) else { return false }
    let ours = place.split(separator: "/", maxSplits: 1)
    let theirs = path.drop { $0 == "/" }.split(separator: "/", maxSplits: 1)
    guard ours.count == theirs.count else { return false }
    guard let host = ours.first, let other = theirs.first else { return true }
    guard Self.sameWithoutCase(host, other) else { return false }
    return ours.count < 2 || ours[1].utf8.elementsEqual(theirs[1].utf8)
  }
}

extension ReturnURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme only: what a return carries is nobody else's business.
  public var description: String { "ReturnURL(\(scheme ?? "callback"))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme as Any]) }
}

extension ReturnURL {
  /// No space, no control character, no DEL. Whatever split the argument left one of these.
  private static func isClean(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 > 0x20 && $0 != 0x7f }
  }

  /// RFC 3986, section 3.1.
  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { byte in
      isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  private static func sameWithoutCase(
    _ left: some StringProtocol, _ right: some StringProtocol
  ) -> Bool {
    left.utf8.lazy.map(lowercased).elementsEqual(right.utf8.lazy.map(lowercased))
  }

  private static func place(
    _ hierarchy: ArraySlice<UInt8>, isWeb: Bool
  ) throws(ConsentError) -> String {
    let slashes = hierarchy.prefix { $0 == UInt8(ascii: "/") }.count
    guard isWeb ? slashes == 2 : slashes <= 3 else { throw ConsentError(.returnURLMalformed) }
    var place = hierarchy.dropFirst(slashes)
    if !isWeb {
      while place.last == UInt8(ascii: "/") { place.removeLast() }
    }
    // An http URL has a host; a malformed escape in a path is refused as one in the query is.
    guard !isWeb || place.first.map({ $0 != UInt8(ascii: "/") }) == true,
      (try? FormQuery.decoded(place, plusIsSpace: false)) != nil,
      let text = String(validating: place, as: UTF8.self)
    else { throw ConsentError(.returnURLMalformed) }
    return text
  }

  private static func agree(_ values: [String]) -> Bool {
    guard let first = values.first else { return true }
    return values.allSatisfy { sameBytes($0, first) }
  }

  private static func namesARequest(_ fragment: ArraySlice<UInt8>) -> Bool {
    guard let pairs = try? FormQuery.pairs(in: fragment) else { return false }
    return pairs.contains { sameBytes($0.name, "request_id") }
  }
}
