/// What a member may do in an organization or team: Calimero's 32-bit mask.
///
/// Bits that have no name here are kept as they are.
public struct OrgCapabilities: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let createContext = OrgCapabilities(rawValue: 1 << 0)
  public static let inviteMembers = OrgCapabilities(rawValue: 1 << 1)
  public static let joinOpenSubgroups = OrgCapabilities(rawValue: 1 << 2)
  public static let manageMembers = OrgCapabilities(rawValue: 1 << 3)
  public static let manageApplication = OrgCapabilities(rawValue: 1 << 4)
  public static let createSubgroup = OrgCapabilities(rawValue: 1 << 5)
  public static let deleteSubgroup = OrgCapabilities(rawValue: 1 << 6)
  public static let manageVisibility = OrgCapabilities(rawValue: 1 << 7)
  public static let manageMetadata = OrgCapabilities(rawValue: 1 << 8)
  public static let authorOnBehalf = OrgCapabilities(rawValue: 1 << 9)
}
