import Testing

@testable import TDXQuote

@Suite struct PublishedReleaseTests {
  private static func profile(_ first: Int, more: String = "") -> String {
    let names = ["mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3"]
    let fields = names.enumerated().map { index, name in
      "\"\(name)\":\"\(String(repeating: "0\(first + index)", count: 48))\""
    }
    return "{\(fields.joined(separator: ","))\(more)}"
  }

  private static func release(
    role: String = "node",
    profiles: String = "\"locked-read-only\":\(profile(1)),\"debug\":\(profile(2))"
  ) -> [UInt8] {
    Array("{\"role\":\"\(role)\",\"tag\":\"9.8.7\",\"profiles\":{\(profiles)},\"more\":[]}".utf8)
  }

  @Test func readsOneImageAProfile() throws {
    let release = try PublishedRelease(json: Self.release())
    #expect(release.tag == "9.8.7")
    #expect(release.profileNames == ["debug", "locked-read-only"])
    let image = try #require(release.image(profile: PublishedRelease.lockedProfile))
    #expect(image.name == "9.8.7 locked-read-only")
    #expect(image.measurements.mrtd == [UInt8](repeating: 1, count: 48))
    #expect(image.measurements.rtmr3 == [UInt8](repeating: 5, count: 48))
    #expect(release.image(profile: "other") == nil)
  }

  @Test func ofOtherListsOfTheReleaseNothingIsRead() throws {
    let more = ",\"allowed_tcb_statuses\":[\"outofdate\"],\"allowed_rtmr3\":[\"ff\"]"
    let release = try PublishedRelease(
      json: Self.release(profiles: "\"p\":\(Self.profile(1, more: more))"))
    #expect(release.image(profile: "p")?.measurements.rtmr3 == [UInt8](repeating: 5, count: 48))
  }

  @Test func refusesTheImagesOfSomethingElse() {
    #expect(throws: PublishedRelease.Flaw.notForNodes) {
      try PublishedRelease(json: Self.release(role: "kms"))
    }
  }

  @Test(arguments: [
    "", "\"p\":{}", "\"p\":\(profile(1, more: ",\"mrtd\":\"00\""))",
    "\"p\":\(profile(1)),\"p\":\(profile(2))",
    "\"p\":\(profile(1).replacingFirst("01", with: ""))",
    "\"p\":\(profile(1).replacingFirst("01", with: "0x"))",
    "\"p\":\(profile(1).replacingFirst("rtmr3", with: "rtmr4"))",
  ])
  func refusesProfilesThatAreNotWhole(_ profiles: String) {
    #expect(throws: PublishedRelease.Flaw.malformed) {
      try PublishedRelease(json: Self.release(profiles: profiles))
    }
  }

  @Test func refusesWhatIsNoJSONOrTooLong() {
    for json in ["", "[]", "null", "{\"role\":\"node\"}"] {
      #expect(throws: PublishedRelease.Flaw.malformed) {
        try PublishedRelease(json: Array(json.utf8))
      }
    }
    let padding = [UInt8](repeating: 0x20, count: PublishedRelease.sizeLimit)
    #expect(throws: PublishedRelease.Flaw.malformed) {
      try PublishedRelease(json: Self.release() + padding)
    }
  }
}
