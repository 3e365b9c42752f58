import Crypto
import FoundationEssentials

/// Whose token an access token is, where it is a JWT (RFC 7519) and says so.
///
/// The signature is not checked: the app gave the token for its own session, and the name is
/// only used to see which requests of the same node replace each other, and that new tokens
/// of a session are the same account's.
enum TokenSubject {
  /// A longer one is no account's name.
  static let longest = 255

  static func read(_ token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(payload)),
      let subject = claims.sub, (1...longest).contains(subject.utf8.count)
    else { return nil }
    return subject
  }

  private struct Claims: Decodable { let sub: String? }
}
