import Crypto

/// Names that the node makes up. None can be guessed: they come from the system's generator.
package enum Names {
  /// Lower-case hex of `bytes` random bytes.
  package static func hex(bytes: Int) -> String { Hex.encode(SecureRandom.bytes(count: bytes)) }

  /// A code that a person compares on two screens, as in `7QF2-XK`: no letter or digit in it
  /// can be taken for another.
  package static func code() -> String {
    let text = (0..<6).map { _ in unmistakable[Int.random(in: 0..<unmistakable.count)] }
    return String(text[0..<4]) + "-" + String(text[4...])
  }

  private static let unmistakable = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")
}
