import Crypto
import Testing

/// The bytes of a vector as it is printed: digits in groups, with line breaks.
func octets(_ digits: String, _ location: SourceLocation = #_sourceLocation) throws -> [UInt8] {
  let digits = digits.filter { !$0.isWhitespace }
  return try #require(Hex.decode(digits), sourceLocation: location)
}

/// A secret's bytes, to compare with a vector. Only tests may do this.
func bytes(of secret: borrowing Secret) -> [UInt8] { secret.withBytes { Array($0) } }
