import MeroConsent
import Testing

@Suite struct RequestCheckTests {
  static func check(_ request: ConsentRequest, origins: [String] = []) -> ConsentError? {
    refusal { try RequestCheck.check(request.generated(), origins: PackageOrigins(origins)) }
  }

  static func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

  @Test(arguments: Fixture.everyRequest)
  func takesAWholeRequestOfEachKind(request: ConsentRequest) {
    #expect(Self.check(request) == nil)
  }

  /// Each field of each kind, once empty.
  static let empty: [(ConsentRequest, String)] = [
    (.createOrg(name: ""), "name"),
    (.createInvite(org: ""), "org"), (.createInvite(org: "o", role: ""), "role"),
    (.createInvite(org: "o", teams: []), "teams"),
    (.createInvite(org: "o", teams: ["t", ""]), "teams[1]"),
    (.acceptInvite(token: ""), "token"),
    (.renameOrg(org: "", name: "n"), "org"), (.renameOrg(org: "o", name: ""), "name"),
    (.deleteOrg(org: ""), "org"), (.leaveOrg(org: ""), "org"),
    (.removeMember(org: "", account: "a"), "org"),
    (.removeMember(org: "o", account: ""), "account"),
    (.setMemberRole(org: "", account: "a", role: .owner), "org"),
    (.setMemberRole(org: "o", account: "", role: .owner), "account"),
    (.setMemberRole(org: "o", account: "a", role: ""), "role"),
    (.setMemberTeams(org: "o", account: "a", teams: []), "teams"),
    (.setMemberTeams(org: "o", account: "", teams: [.init(team: "t")]), "account"),
    (.setMemberTeams(org: "o", account: "a", teams: [.init(team: "")]), "teams[0].team"),
    (
      .setMemberTeams(org: "o", account: "a", teams: [.init(team: "t", role: "")]),
      "teams[0].role"
    ),
    (.removeMemberTeams(org: "o", account: "a", teams: []), "teams"),
    (.removeMemberTeams(org: "o", account: "a", teams: [""]), "teams[0]"),
    (.revokeInvite(org: "", inviteKey: "k"), "org"),
    (.revokeInvite(org: "o", inviteKey: ""), "inviteKey"),
    (.setCapabilities(org: "", capabilities: []), "org"),
    (.setCapabilities(org: "o", account: "", capabilities: []), "account"),
    (.setCapabilities(org: "o", team: "", capabilities: []), "team"),
    (.setAllApps(org: "", account: "a", allApps: true), "org"),
    (.setAllApps(org: "o", account: "", allApps: true), "account"),
    (.release(tag: ""), "tag"),
    (.upgrade(instance: "", version: "v"), "instance"),
    (.upgrade(instance: "i", version: ""), "version"),
    (.outbound(instance: "", hosts: ["h"]), "instance"),
    (.outbound(instance: "i", hosts: []), "hosts"),
    (.outbound(instance: "i", hosts: [""]), "hosts[0]"),
  ]

  @Test(arguments: empty)
  func refusesWhatIsEmpty(request: ConsentRequest, field: String) {
    let error = Self.check(request)
    #expect(error?.code == .requestInvalid)
    #expect(error?.field == field)
  }

  @Test func takesItemsOf1KiBAndNotMore() {
    #expect(Self.check(.createOrg(name: Self.text(1024))) == nil)
    #expect(Self.check(.createOrg(name: Self.text(1025)))?.field == "name")
    #expect(Self.check(.acceptInvite(token: Self.text(1024))) == nil)
    #expect(Self.check(.acceptInvite(token: Self.text(1025)))?.field == "token")
    // Bytes count, not characters.
    #expect(Self.check(.createOrg(name: String(repeating: "é", count: 512))) == nil)
    #expect(Self.check(.createOrg(name: String(repeating: "é", count: 513)))?.field == "name")
  }

  @Test func takes256ItemsAndNotMore() {
    let teams = Array(repeating: "t", count: 256)
    #expect(Self.check(.removeMemberTeams(org: "o", account: "a", teams: teams)) == nil)
    #expect(
      Self.check(.removeMemberTeams(org: "o", account: "a", teams: teams + ["t"]))?.field
        == "teams")
    let rows = teams.map { ConsentTeamMembership(team: $0) }
    #expect(Self.check(.setMemberTeams(org: "o", account: "a", teams: rows)) == nil)
    #expect(
      Self.check(.setMemberTeams(org: "o", account: "a", teams: rows + rows.prefix(1)))?.field
        == "teams")
  }

  @Test(arguments: [0, -1, Int.min])
  func refusesALifetimeAndUsesThatAreNotPositive(number: Int) {
    #expect(Self.check(.createInvite(org: "o", ttlSecs: number))?.field == "ttlSecs")
    #expect(Self.check(.createInvite(org: "o", uses: number))?.field == "uses")
    #expect(Self.check(.createInvite(org: "o", ttlSecs: 1, uses: 1)) == nil)
  }

  @Test(arguments: [
    "api.example", "api.example:443", "localhost", "10.0.0.7", "10.0.0.7:1", "[2001:db8::1]",
    "[::1]:65535", "a_b.example", "xn--bcher-kva.example", "API.Example",
  ])
  func takesHostNamesWithAndWithoutAPort(host: String) {
    #expect(Self.check(.outbound(instance: "i", hosts: [host])) == nil)
  }

  @Test(arguments: [
    "https://api.example", "api.example/", "api.example:0", "api.example:65536", "api.example:",
    "api.example:x", "*.example", "a..example", ".example", "example.", "-a.example", "a b",
    "user@api.example", "10.0.0.256", "10.0.7", "0x7f.1", "::1", "[::1", "[1:2]", "[::g]", ":443",
    "bücher.example",
  ])
  func refusesHostsThatAreNone(host: String) {
    let error = Self.check(.outbound(instance: "i", hosts: ["ok.example", host]))
    #expect(error?.code == .requestInvalid)
    #expect(error?.field == "hosts[1]")
  }
}

@Suite struct ReturnToTests {
  static func check(_ url: String, origins: [String] = []) -> ConsentError? {
    RequestCheckTests.check(.createOrg(name: "n", returnTo: url), origins: origins)
  }

  @Test(arguments: [
    "https://notes.example/1.2.0/?native-consent=1", "https://notes.example",
    "https://notes.example:8443/x", "http://127.0.0.1:17463/return/ticket",
    "http://[::1]:17463/return", "http://localhost:8080/", "HTTPS://Notes.Example/",
    "https://notes.example/p%20q?x=%C3%A9",
  ])
  func takesHttpsAndLoopback(url: String) {
    #expect(Self.check(url) == nil)
  }

  @Test(arguments: [
    "", "notes.example", "/return", "mero://return", "http://notes.example/",
    "http://127.0.0.1.example/", "http://localhost.example/", "https://user@notes.example/",
    "https://user:secret@notes.example/", "https://@notes.example/", "https://notes.example/#x",
    "https://notes.example/#", "https://", "https:///x", "https:/notes.example/",
    "https://notes.example/a b", "https://notes.example/\n",
    "https://notes.example\\@evil.example/",
    "https://notes.example:0/", "https://notes.example:99999/", "https://nötes.example/",
    "https://notes.example/%zz", "https://127.1/", "javascript:alert(1)",
  ])
  func refusesTheRest(url: String) {
    let error = Self.check(url)
    #expect(error?.code == .returnToNotAllowed)
    #expect(error?.field == "returnTo")
  }

  static let origins = ["https://notes.example", "https://alias.example:8443/"]

  @Test(arguments: [
    "https://notes.example/x", "https://notes.example:443/x", "https://NOTES.example/x",
    "https://alias.example:8443",
  ])
  func takesThePackagesOwnOrigins(url: String) {
    #expect(Self.check(url, origins: Self.origins) == nil)
  }

  @Test(arguments: [
    "https://other.example/x", "https://alias.example/", "https://notes.example:8443/",
    "https://sub.notes.example/", "https://notes.example.evil.example/",
    "http://127.0.0.1:17463/return",
  ])
  func refusesOtherOriginsWhereTheSessionNamesThem(url: String) {
    #expect(Self.check(url, origins: Self.origins)?.code == .returnToNotAllowed)
  }

  @Test func countsAReturnToOf8KiB() {
    let base = "https://notes.example/?"
    let fits = base + String(repeating: "x", count: 8192 - base.count)
    #expect(Self.check(fits) == nil)
    #expect(Self.check(fits + "x")?.code == .returnToNotAllowed)
  }

  @Test(arguments: ["notes.example", "https://notes.example/path", "http://notes.example", ""])
  func refusesOriginsThatAreNone(origin: String) {
    let error = refusal { try PackageOrigins(["https://ok.example", origin]) }
    #expect(error?.code == .requestInvalid)
    #expect(error?.field == "origins[1]")
  }
}
