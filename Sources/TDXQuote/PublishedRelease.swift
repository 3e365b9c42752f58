import Crypto

/// A release's `published-mrtds.json`: what its images measure, by profile.
///
/// Whether the file is the release's own is for whoever fetched it; here it is only read. Its
/// `allowed_tcb_statuses` are not: a release widens no policy.
package struct PublishedRelease: Sendable {
  /// Why a file is not used.
  package enum Flaw: Error, Equatable, Sendable {
    /// No JSON, a register that is missing or not 48 bytes of hex, no profile at all.
    case malformed
    /// The images of something else than a node.
    case notForNodes
  }

  /// The longest file that is read, in bytes; real ones have about 7,000.
  package static let sizeLimit = 256 * 1024
  /// The profile of images that nobody can log in to.
  package static let lockedProfile = "locked-read-only"

  /// The release's tag, for people.
  package let tag: String
  private let profiles: [String: Measurements]

  /// The names of the profiles, sorted.
  package var profileNames: [String] { profiles.keys.sorted() }

  package init(json: [UInt8]) throws(Flaw) {
    guard json.count <= Self.sizeLimit else { throw .malformed }
    let role: String
    do throws(JSONMismatch) {
      (self, role) = try Self.read(json)
    } catch {
      throw .malformed
    }
    guard role == "node" else { throw .notForNodes }
  }

  /// - Returns: `nil` when the release has no such profile.
  package func image(profile: String) -> TrustedImage? {
    profiles[profile].map { TrustedImage(name: "\(tag) \(profile)", measurements: $0) }
  }

  private init(tag: String, profiles: [String: Measurements]) {
    self.tag = tag
    self.profiles = profiles
  }

  private static func read(
    _ json: [UInt8]
  ) throws(JSONMismatch) -> (PublishedRelease, role: String) {
    var role = Required<String>()
    var tag = Required<String>()
    var profiles: [String: Measurements] = [:]
    try JSONReader.document(json) { (name, value) throws(JSONMismatch) in
      switch name {
      case "role": try role.set(try value.text())
      case "tag": try tag.set(try value.text())
      case "profiles":
        try value.object { (profile, value) throws(JSONMismatch) in
          guard profiles[profile] == nil else { throw JSONMismatch() }
          profiles[profile] = try Self.measurements(&value)
        }
      default: try value.skip()
      }
    }
    guard !profiles.isEmpty else { throw JSONMismatch() }
    return (PublishedRelease(tag: try tag.get(), profiles: profiles), try role.get())
  }

  private static func measurements(
    _ reader: inout JSONReader
  ) throws(JSONMismatch) -> Measurements {
    var registers: [String: [UInt8]] = [:]
    try reader.object { (name, value) throws(JSONMismatch) in
      switch name {
      case "mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3":
        guard registers[name] == nil else { throw JSONMismatch() }
        registers[name] = try value.hex(Measurements.registerSize)
      default: try value.skip()
      }
    }
    guard let mrtd = registers["mrtd"], let rtmr0 = registers["rtmr0"],
      let rtmr1 = registers["rtmr1"], let rtmr2 = registers["rtmr2"],
      let rtmr3 = registers["rtmr3"],
      let measurements = Measurements(
        mrtd: mrtd, rtmr0: rtmr0, rtmr1: rtmr1, rtmr2: rtmr2, rtmr3: rtmr3)
    else { throw JSONMismatch() }
    return measurements
  }
}
