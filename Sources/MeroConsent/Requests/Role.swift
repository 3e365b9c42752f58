/// A member's role in an organization or team.
///
/// The named ones are this project's reading; any other that a node knows can be written as a
/// text: `"auditor"`.
public struct Role: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }

  public static let owner = Role(rawValue: "owner")
  public static let admin = Role(rawValue: "admin")
  public static let member = Role(rawValue: "member")
}

extension Role: CustomStringConvertible {
  public var description: String { rawValue }
}
