import EventLoop
import MeroConsent

/// A session's tokens as bytes, for memory that outlives the process.
///
///     content = 1 || field(session) || field(access token) || count(0 or 1) [|| field(refresh token)]
///     field   = length(4, little-endian) || UTF-8
enum SecretContent {
  private static let version: UInt8 = 1

  /// Bytes of the longest content: both tokens, and the name of a session.
  static let longest = 2 * SessionTokens.longest + 128

  static func encode(_ tokens: SessionTokens, of session: String) -> [UInt8] {
    var bytes = [version]
    append(session, to: &bytes)
    append(tokens.accessToken, to: &bytes)
    bytes.append(tokens.refreshToken == nil ? 0 : 1)
    if let refreshToken = tokens.refreshToken { append(refreshToken, to: &bytes) }
    return bytes
  }

  /// - Returns: `nil` for anything but a whole content of ours.
  static func decode(_ bytes: [UInt8]) -> (session: String, tokens: SessionTokens)? {
    var rest = bytes[...]
    guard rest.popFirst() == version, let session = text(&rest), let access = text(&rest),
      let count = rest.popFirst(), count <= 1
    else { return nil }
    var refresh: String?
    if count == 1 {
      guard let text = text(&rest) else { return nil }
      refresh = text
    }
    let tokens = SessionTokens(accessToken: access, refreshToken: refresh)
    guard rest.isEmpty, tokens.unusableField == nil else { return nil }
    return (session, tokens)
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let length = UInt32(clamping: text.utf8.count)
    withUnsafeBytes(of: length.littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: text.utf8)
  }

  private static func text(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard rest.count >= 4 else { return nil }
    let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(4)
    guard rest.count >= length else { return nil }
    defer { rest = rest.dropFirst(length) }
    return String(validating: rest.prefix(length), as: UTF8.self)
  }
}
