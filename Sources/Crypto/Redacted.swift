/// A value that must not be shown: an access token, a refresh token, an invite token.
///
/// It prints, dumps, reflects and interpolates as `<redacted>`. Coding passes through, since a
/// token has to get onto the wire and out of it. To read the value is a decision that a reviewer
/// can search for: `revealed`.
public struct Redacted<Value> {
  /// The value itself. Whatever it is put into must not be logged.
  public let revealed: Value

  public init(_ value: Value) { revealed = value }
}

extension Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}

extension Redacted: Decodable where Value: Decodable {
  public init(from decoder: any Decoder) throws {
    revealed = try decoder.singleValueContainer().decode(Value.self)
  }
}

extension Redacted: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(revealed)
  }
}
