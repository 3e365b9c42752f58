import FoundationEssentials
import MeroConsent
import Testing

@Suite struct OrgCapabilitiesTests {
  /// Calimero's bits: protocol.
  @Test(arguments: [
    (OrgCapabilities.createContext, 0), (.inviteMembers, 1), (.joinOpenSubgroups, 2),
    (.manageMembers, 3), (.manageApplication, 4), (.createSubgroup, 5), (.deleteSubgroup, 6),
    (.manageVisibility, 7), (.manageMetadata, 8), (.authorOnBehalf, 9),
  ])
  func hasCalimerosBits(capability: OrgCapabilities, bit: Int) {
    #expect(capability.rawValue == 1 << bit)
  }

  @Test func keepsBitsWithoutAName() {
    var mask = OrgCapabilities(rawValue: 0xffff_0000)
    mask.insert(.createContext)
    #expect(mask.rawValue == 0xffff_0001)
  }
}

@Suite struct RoleTests {
  @Test func namesTheRolesOfTheDesign() {
    #expect([Role.owner, .admin, .member].map(\.rawValue) == ["owner", "admin", "member"])
    #expect(Role("auditor") == Role(rawValue: "auditor"))
  }
}

@Suite struct OutcomeBodyTests {
  static let outcomes: [(ConsentOutcome, String)] = [
    (.orgCreated(orgId: "o/1"), #"{"kind":"orgCreated","orgId":"o/1"}"#),
    (.inviteCreated(token: "t"), #"{"kind":"inviteCreated","token":"t"}"#),
    (.inviteAccepted(org: "o"), #"{"kind":"inviteAccepted","org":"o"}"#),
    (.orgRenamed(orgId: "o", name: "n"), #"{"kind":"orgRenamed","name":"n","orgId":"o"}"#),
    (.orgDeleted(apps: []), #"{"apps":[],"kind":"orgDeleted"}"#),
    (.orgDeleted(apps: ["a", "b"]), #"{"apps":["a","b"],"kind":"orgDeleted"}"#),
  ]

  @Test(arguments: outcomes)
  func isWrittenAndReadBack(outcome: ConsentOutcome, json: String) throws {
    let text = try ConsentRequestBodyTests.encoded(OutcomeBody(outcome))
    #expect(text == json)
    let body = try JSONDecoder().decode(OutcomeBody.self, from: Data(text.utf8))
    #expect(body.outcome == outcome)
  }

  @Test func onlyAnInviteIsSecret() {
    #expect(Self.outcomes.map(\.0.isSecret) == [false, true, false, false, false, false])
  }
}

/// Whatever bytes come in, a parser answers or refuses; it never traps.
@Suite struct ParserFuzzTests {
  /// A small generator with a seed, so that a failure can be had again.
  struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  static let pieces = [
    "mero", "https", ":", "/", "//", "?", "#", "&", "=", "%", "%4", "%41", "%ff", "+", "request_id",
    "result", "rq-1", "@", "[", "]", "::1", "127.0.0.1", ".", "\u{0}", " ", "é", "\\", "8080",
  ]

  @Test func returnURLsOfAnyPieces() {
    var generator = Seeded(state: 1)
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        Self.pieces.randomElement(using: &generator) ?? ""
      }.joined()
      _ = refusal { try ReturnURL(text) }
      _ = refusal { try ReturnURL(path: "/return", query: text) }
      _ = refusal { try NodeAddress(text) }
      _ = RequestCheckTests.check(.leaveOrg(org: "o", returnTo: text))
    }
  }

  @Test func returnURLsOfAnyBytes() {
    var generator = Seeded(state: 2)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      _ = refusal { try ReturnURL(bytes: bytes) }
      _ = refusal { try ReturnURL(bytes: Array("mero:return?".utf8) + bytes) }
    }
  }

  @Test func anyIdIsReadBackAsItWasEncoded() throws {
    var generator = Seeded(state: 3)
    for _ in 0..<2_000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10ffff, using: &generator)) {
          scalars.append(scalar)
        }
      }
      guard !scalars.isEmpty else { continue }
      let id = String(scalars)
      let url = try ReturnURL("mero:return?x=1&request_id=\(percentEncodedSegment(id))")
      #expect(!url.namesAnother(than: id))
      #expect(url.requestId.map { Array($0.utf8) } == Array(id.utf8))
    }
  }

  @Test func datesOfAnyPieces() {
    var generator = Seeded(state: 4)
    let pieces = ["2030", "-", "01", "T", ":", "00", ".", "5", "Z", "+", "99", "é", "0"]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...14, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      if let date = RFC3339.date(text) { #expect(RFC3339.date(RFC3339.text(date)) != nil) }
      _ = HTTPDate.date(text)
    }
  }
}
