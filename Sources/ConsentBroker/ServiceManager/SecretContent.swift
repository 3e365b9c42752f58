import EventLoop
import MeroConsent

/// What is kept of a session.
struct KeptTokens: Equatable, Sendable {
  let tokens: SessionTokens
  /// The hash of what the configuration had for the session when these came, `nil` for an app's.
  /// As long as it has the same, these are newer.
  var read: [UInt8]?
}

/// A session's tokens as bytes, for memory that outlives the process.
///
///     content = 2 || field(session) || field(access token) || option(refresh token) || option(read)
///     option  = 0, or 1 || field
///     field   = length(4, little-endian) || bytes; UTF-8, but for `read`, which is a hash
enum SecretContent {
  private static let version: UInt8 = 2

  /// Bytes of the longest content: both tokens, the name of a session, and a hash.
  static let longest = 2 * SessionTokens.longest + 128

  static func encode(_ kept: KeptTokens, of session: String) -> [UInt8] {
    var bytes = [version]
    append(Array(session.utf8), to: &bytes)
    append(Array(kept.tokens.accessToken.utf8), to: &bytes)
    append(option: kept.tokens.refreshToken.map { Array($0.utf8) }, to: &bytes)
    append(option: kept.read, to: &bytes)
    return bytes
  }

  /// - Returns: `nil` for anything but a whole content of ours.
  static func decode(_ bytes: [UInt8]) -> (session: String, kept: KeptTokens)? {
    var rest = bytes[...]
    guard rest.popFirst() == version, let session = text(field(&rest)),
      let access = text(field(&rest)), let refresh = option(&rest), let read = option(&rest),
      rest.isEmpty
    else { return nil }
    let refreshToken = refresh.value.map(text)
    if case .some(.none) = refreshToken { return nil }
    let tokens = SessionTokens(accessToken: access, refreshToken: refreshToken ?? nil)
    guard tokens.unusableField == nil else { return nil }
    return (session, KeptTokens(tokens: tokens, read: read.value.map { Array($0) }))
  }

  private static func append(_ field: [UInt8], to bytes: inout [UInt8]) {
    let length = UInt32(clamping: field.count)
    withUnsafeBytes(of: length.littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: field)
  }

  private static func append(option field: [UInt8]?, to bytes: inout [UInt8]) {
    bytes.append(field == nil ? 0 : 1)
    if let field { append(field, to: &bytes) }
  }

  private static func field(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard rest.count >= 4 else { return nil }
    let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(4)
    guard rest.count >= length else { return nil }
    defer { rest = rest.dropFirst(length) }
    return rest.prefix(length)
  }

  private static func text(_ field: ArraySlice<UInt8>?) -> String? {
    field.flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// A field that may be missing.
  private struct Option { let value: ArraySlice<UInt8>? }

  /// - Returns: `nil` where there is neither a field nor the word that there is none.
  private static func option(_ rest: inout ArraySlice<UInt8>) -> Option? {
    switch rest.popFirst() {
    case 0: Option(value: nil)
    case 1: field(&rest).map(Option.init)
    default: nil
    }
  }
}
