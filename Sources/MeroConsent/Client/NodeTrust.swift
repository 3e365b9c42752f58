/// How a node proves that it is the one, strictest first. A key is never taken from a response
/// on trust alone.
public enum NodeTrust: Hashable, Sendable {
  /// A TDX quote, verified here, of one of these images. `tcb` are the statuses of the platform
  /// that are good enough; `UpToDate` alone by default. An empty list of images is refused.
  case measurements([NodeMeasurements], tcb: [String] = ["UpToDate"])
  /// The node's sealed-transport key is known: 64 hex digits. No attestation is made.
  case transportKey(String)
  /// A development node, on loopback only: its mock quote is taken.
  case development
  /// Nothing is configured: `NODE_UNTRUSTED`, but for a development node on loopback.
  case unconfigured
}

/// The measured registers of one image of a node, each 96 hex digits. All of them have to match.
public struct NodeMeasurements: Hashable, Sendable {
  public var mrtd: String
  public var rtmr0: String
  public var rtmr1: String
  public var rtmr2: String
  public var rtmr3: String
  /// What people call the image: a release and a profile, for example. Nothing is decided by it.
  public var name: String?
  /// The statuses of the platform that are good enough for this image, where they are others
  /// than the list that goes with all images.
  public var tcb: [String]?

  public init(
    mrtd: String, rtmr0: String, rtmr1: String, rtmr2: String, rtmr3: String, name: String? = nil,
    tcb: [String]? = nil
  ) {
    self.mrtd = mrtd
    self.rtmr0 = rtmr0
    self.rtmr1 = rtmr1
    self.rtmr2 = rtmr2
    self.rtmr3 = rtmr3
    self.name = name
    self.tcb = tcb
  }
}
