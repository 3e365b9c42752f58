package import MeroConsent

/// `[Release NAME]`: one image of a node that is trusted, by its five registers.
package struct TrustedRelease: Sendable, Equatable {
  /// The section's name.
  package let name: String
  package let image: NodeMeasurements
}

/// The keys of a `[Release NAME]`.
package enum ReleaseKey: String, CaseIterable, Sendable {
  case image = "Image"
  case mrtd = "MRTD"
  case rtmr0 = "RTMR0"
  case rtmr1 = "RTMR1"
  case rtmr2 = "RTMR2"
  case rtmr3 = "RTMR3"
  case allowedTCB = "AllowedTCB"

  /// All five have to be there: registers of different images never combine.
  static let registers: [ReleaseKey] = [.mrtd, .rtmr0, .rtmr1, .rtmr2, .rtmr3]
}

/// A `[Release NAME]` on its way.
struct TrustedReleaseDraft: SectionDraft {
  static let kind = "Release"
  private static let registerDigits = 96
  /// Bytes of what people call an image.
  private static let longestImage = 128

  let name: String
  private var image: String?
  private var registers: [ReleaseKey: String] = [:]
  private var statuses: [String] = []

  init(name: String) { self.name = name }

  mutating func set(
    _ key: ReleaseKey, _ value: String, at place: ConfigurationPlace
  ) throws(ConfigurationComplaint) {
    switch key {
    case .image:
      guard (1...Self.longestImage).contains(value.utf8.count) else {
        throw ConfigurationComplaint("is empty or longer than \(Self.longestImage) bytes")
      }
      image = value
    case .mrtd, .rtmr0, .rtmr1, .rtmr2, .rtmr3:
      guard TrustJSON.isHex(value, digits: Self.registerDigits) else {
        throw ConfigurationComplaint("is not \(Self.registerDigits) hexadecimal digits")
      }
      registers[key] = value.lowercased()
    case .allowedTCB:
      let names = SectionText.items(value)
      guard !names.isEmpty else { throw ConfigurationComplaint("names no status") }
      for name in names {
        guard let status = NodeMeasurements.tcbStatus(name) else {
          throw ConfigurationComplaint(
            "has a status that is none of \(NodeMeasurements.tcbStatuses.joined(separator: ", "))")
        }
        statuses.append(status)
      }
    }
  }

  static func repeats(_ key: ReleaseKey) -> Bool { key == .allowedTCB }

  func finish() throws(ConfigurationComplaint) -> TrustedRelease {
    func register(_ key: ReleaseKey) throws(ConfigurationComplaint) -> String {
      guard let value = registers[key] else {
        throw ConfigurationComplaint("has no \(key.rawValue): all five registers are needed")
      }
      return value
    }
    return TrustedRelease(
      name: name,
      image: NodeMeasurements(
        mrtd: try register(.mrtd), rtmr0: try register(.rtmr0), rtmr1: try register(.rtmr1),
        rtmr2: try register(.rtmr2), rtmr3: try register(.rtmr3), name: image ?? name,
        tcb: statuses.isEmpty ? ["UpToDate"] : statuses))
  }
}
