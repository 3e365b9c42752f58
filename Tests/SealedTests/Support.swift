import Crypto
import Testing

/// The bytes of a vector.
func octets(_ digits: String, _ location: SourceLocation = #_sourceLocation) throws -> [UInt8] {
  try #require(Hex.decode(digits), sourceLocation: location)
}

/// The key of a vector.
func secret(_ digits: String) throws -> Secret { Secret(copying: try octets(digits)) }
