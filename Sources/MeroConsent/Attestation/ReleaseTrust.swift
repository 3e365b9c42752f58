import Crypto
import TDXQuote

extension NodeMeasurements {
  /// The image of one profile of a release's `published-mrtds.json`, named after both.
  ///
  /// Whether the file is the release's own is for whoever fetched it.
  /// - Parameter profile: `locked-read-only` is the one that nobody can log in to.
  /// - Throws: `CONSENT_REQUEST_INVALID` that says what is wrong with the file, or which profiles
  ///   there are.
  package init(
    release json: [UInt8], profile: String = PublishedRelease.lockedProfile
  ) throws(ConsentError) {
    let release: PublishedRelease
    do throws(PublishedRelease.Flaw) {
      release = try PublishedRelease(json: json)
    } catch {
      throw .requestInvalid(
        "release",
        error == .notForNodes
          ? "is of something else than a node" : "is no release's published-mrtds.json")
    }
    guard let image = release.image(profile: profile) else {
      let names = release.profileNames.joined(separator: ", ")
      throw .requestInvalid("profile", "is none of this release's: it has \(names)")
    }
    let registers = image.measurements
    self.init(
      mrtd: Hex.encode(registers.mrtd), rtmr0: Hex.encode(registers.rtmr0),
      rtmr1: Hex.encode(registers.rtmr1), rtmr2: Hex.encode(registers.rtmr2),
      rtmr3: Hex.encode(registers.rtmr3), name: image.name)
  }
}
