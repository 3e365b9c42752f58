public import FoundationEssentials

/// What a node proved about itself when it was attested, and when that was.
public struct NodeAttestation: Hashable, Sendable {
  /// The image that runs, by the name that the configuration gives it; of a development node
  /// `development`, since its word is all there is.
  public let image: String
  /// A development node's mock quote, which proves nothing.
  public let isMock: Bool
  /// Intel's word for how current the platform is, `UpToDate` for example; `nil` for a mock.
  public let tcbStatus: String?
  /// Intel's advisories that concern the platform as it is.
  public let advisoryIDs: [String]
  /// By this machine's clock.
  public let verifiedAt: Date
  /// Until when everything holds that the verdict rests on; `nil` for a mock. A session that is
  /// renewed after it has the node attested again.
  public let holdsUntil: Date?

  package init(
    image: String, isMock: Bool, tcbStatus: String?, advisoryIDs: [String], verifiedAt: Date,
    holdsUntil: Date?
  ) {
    self.image = image
    self.isMock = isMock
    self.tcbStatus = tcbStatus
    self.advisoryIDs = advisoryIDs
    self.verifiedAt = verifiedAt
    self.holdsUntil = holdsUntil
  }
}
