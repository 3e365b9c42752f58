import EventLoop
import MeroConsent
import Testing

@testable import mero_consent

/// Options become exactly the requests that the guide has.
@Suite(.serialized) struct RequestComposerTests {
  private static let cases: [(words: [String], request: ConsentRequest)] = [
    (["createOrg", "--name", "Acme"], .createOrg(name: "Acme")),
    (
      [
        "create-invite", "--org", "o", "--role", "member", "--team", "a", "--teams", "b",
        "--ttl-secs", "60", "--uses", "2", "--all-apps", "--return-to", "https://x.example/",
      ],
      .createInvite(
        org: "o", role: .member, teams: ["a", "b"], ttlSecs: 60, uses: 2, allApps: true,
        returnTo: "https://x.example/")
    ),
    (
      ["createInvite", "--org", "o", "--ttlSecs", "60", "--no-allApps"],
      .createInvite(org: "o", ttlSecs: 60, allApps: false)
    ),
    (["renameOrg", "--org", "o", "--name", "n"], .renameOrg(org: "o", name: "n")),
    (["deleteOrg", "--org", "o"], .deleteOrg(org: "o")),
    (["leave-org", "--org", "o"], .leaveOrg(org: "o")),
    (["removeMember", "--org", "o", "--account", "a"], .removeMember(org: "o", account: "a")),
    (
      ["setMemberRole", "--org", "o", "--account", "a", "--role", "auditor"],
      .setMemberRole(org: "o", account: "a", role: "auditor")
    ),
    (
      [
        "setMemberTeams", "--org", "o", "--account", "a", "--team", "t1:member:3", "--team", "t2",
        "--team", "t3::invite-members,manageMembers",
      ],
      .setMemberTeams(
        org: "o", account: "a",
        teams: [
          .init(team: "t1", role: .member, capabilities: .init(rawValue: 3)), .init(team: "t2"),
          .init(team: "t3", capabilities: [.inviteMembers, .manageMembers]),
        ])
    ),
    (
      ["removeMemberTeams", "--org", "o", "--account", "a", "--team", "x:y"],
      .removeMemberTeams(org: "o", account: "a", teams: ["x:y"])
    ),
    (
      ["revokeInvite", "--org", "o", "--invite-key", "k"], .revokeInvite(org: "o", inviteKey: "k")
    ),
    (
      ["setCapabilities", "--org", "o", "--team", "t", "--capabilities", "0xffffffff"],
      .setCapabilities(org: "o", team: "t", capabilities: .init(rawValue: .max))
    ),
    (
      ["setCapabilities", "--org", "o", "--account", "a", "--capabilities", "none"],
      .setCapabilities(org: "o", account: "a", capabilities: [])
    ),
    (
      ["setAllApps", "--org", "o", "--account", "a", "--no-all-apps"],
      .setAllApps(org: "o", account: "a", allApps: false)
    ),
    (["release", "--tag", "v1"], .release(tag: "v1")),
    (["upgrade", "--instance", "i", "--version", "2"], .upgrade(instance: "i", version: "2")),
    (
      ["outbound", "--instance", "i", "--host", "a.example", "--hosts", "b.example:8443"],
      .outbound(instance: "i", hosts: ["a.example", "b.example:8443"])
    ),
  ]

  @Test(arguments: cases.indices) @LoopActor func composes(_ index: Int) throws {
    let (words, request) = Self.cases[index]
    let arguments = try parsed(["request"] + words)
    let kind = try #require(ConsentKind(rawValue: arguments.command.path[1]))
    let terminal = RecordedTerminal()
    let composed = try RequestComposer.request(kind, arguments, on: terminal.terminal)
    #expect(composed == request)
  }

  /// With acceptInvite, whose token comes from a file, every kind is there.
  @Test func everyKindIsTried() {
    let tried = Set(Self.cases.map(\.request.kind)).union([.acceptInvite])
    #expect(tried == Set(ConsentKind.allCases))
  }

  /// A field that the library has and the table has not would be missing from these.
  @Test func theFullestRequestOfEachKindNamesEveryFieldOfTheTable() {
    for kind in ConsentKind.allCases where kind != .acceptInvite {
      let sent = Set(
        Self.cases.filter { $0.request.kind == kind }.flatMap { $0.request.fields.list }.map(\.name)
      )
      let table = Set(KindFields.fields(of: kind).map(\.field))
      #expect(sent.subtracting([.returnTo]) == table, "\(kind)")
    }
  }

  private static let refused: [(words: [String], complaint: String)] = [
    (["createInvite", "--org", "o", "--ttl-secs", "1h"], "--ttl-secs"),
    (["createInvite", "--org", "o", "--uses", "+1"], "--uses"),
    (["createInvite", "--org", "o", "--all-apps", "--no-all-apps"], "exclude"),
    (["setAllApps", "--org", "o", "--account", "a"], "--no-all-apps"),
    (["setMemberTeams", "--org", "o", "--account", "a", "--team", "a:b:1:d"], "more parts"),
    (["setMemberTeams", "--org", "o", "--account", "a", "--team", "a:b:"], "no capability"),
    (["setCapabilities", "--org", "o", "--capabilities", "4294967296"], "32 bits"),
    (["setCapabilities", "--org", "o", "--capabilities", "inviteMember"], "no capability"),
  ]

  @Test(arguments: refused.indices) @LoopActor func refuses(_ index: Int) throws {
    let (words, complaint) = Self.refused[index]
    let arguments = try parsed(["request"] + words)
    let kind = try #require(ConsentKind(rawValue: arguments.command.path[1]))
    let terminal = RecordedTerminal()
    let error = #expect(throws: CommandFailure.self) {
      try RequestComposer.request(kind, arguments, on: terminal.terminal)
    }
    #expect(error?.exit == .usage)
    #expect(error?.message.contains(complaint) == true, "\(error?.message ?? "")")
  }
}
