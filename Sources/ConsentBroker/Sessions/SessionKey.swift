import Crypto
import MeroConsent

/// The capability of a session: 256 random bits, shown once. What is kept is its SHA-256.
enum SessionKey {
  static let bits = 256

  static func make() -> String { Base64URL.encode(SecureRandom.bytes(count: bits / 8)) }

  /// The key's bytes as they are: nothing is decoded or normalized, so no two texts are one key.
  static func hash(_ key: String) -> [UInt8] { SHA256.hash(Array(key.utf8)) }
}

/// Names that nobody can guess.
enum RandomName {
  /// A session's public name.
  static func session() -> String { "s_" + Hex.encode(SecureRandom.bytes(count: 12)) }

  /// What the names of configured sessions begin with, and no other's.
  static let configured = "s_conf_"

  /// The name of a configured session begins with this: the same as long as it is the same app's
  /// session with the same node.
  static func configured(_ session: ConfiguredSession) -> String {
    let parts = [session.name, session.package, session.node.url]
    let hash = SHA256.hash(Array(parts.joined(separator: "\n").utf8))
    return configured + Hex.encode(hash.prefix(8)) + "_"
  }

  /// A request's id for as long as its node has given none. It is no secret.
  static func starting() -> String { "starting-" + Hex.encode(SecureRandom.bytes(count: 12)) }
}
