import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent
import Synchronization
import Testing

/// Against a program named xdg-open in a directory of the test's own. One at a time: a file that is
/// being written when another test forks cannot be run (ETXTBSY).
@Suite(.serialized) struct OpenPageTests {
  /// A directory that goes with the test.
  final class Directory: Sendable {
    let path: String

    init() throws {
      path = "/tmp/mero-opener-\(UUID().uuidString)"
      try Files.makeDirectory(path, mode: 0o700)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func add(_ name: String, _ text: String, mode: Int = 0o755) throws {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: nil)
      let file = "\(path)/\(name)"
      try Data(text.utf8).write(to: URL(filePath: file))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    func text(of name: String) -> String? {
      guard let data = FileManager.default.contents(atPath: "\(path)/\(name)") else { return nil }
      return String(decoding: data, as: UTF8.self)
    }

    /// The environment in which this directory's opener is found.
    func environment(_ more: [String: String] = [:]) -> [String: String] {
      ["PATH": "\(path):/usr/bin:/bin", "DISPLAY": ":7"].merging(more) { _, new in new }
    }
  }

  let directory: Directory

  init() throws { directory = try Directory() }

  func client(_ node: ScriptedNode, _ environment: [String: String]) throws -> MeroClient {
    try MeroClient(
      node: NodeAddress(Fixture.nodeURL), tokens: Fixture.tokens, origins: [], returnTo: nil,
      transport: node, clock: TestClock().clock(),
      browser: PageOpener(environment: environment, moment: .seconds(60)), onTokensChanged: nil)
  }

  @Test func asksThenOpensThePage() async throws {
    try directory.add("xdg-open", "#!/bin/sh\nprintf %s \"$1\" > \"$(dirname \"$0\")/seen\"\n")
    let node = ScriptedNode(replies: [.json(Fixture.startedJSON())])
    let shown = Mutex<String?>(nil)
    let options = ConsentPageOptions(returnTo: "https://notes.example/") { started in
      shown.withLock { $0 = started.code }
      return true
    }
    let started = try await client(node, directory.environment())
      .openConsentPage(.createOrg(name: "n"), options: options)
    #expect(started == Fixture.started)
    #expect(shown.withLock { $0 } == "7QF2-XK")
    #expect(directory.text(of: "seen") == Fixture.started.url)
    #expect(await node.calls[0].text.contains("https://notes.example/"))
  }

  @Test func leavesThePageClosedWhenTheAppSaysSo() async throws {
    try directory.add("xdg-open", "#!/bin/sh\ntouch \"$(dirname \"$0\")/seen\"\n")
    let node = ScriptedNode(replies: [.json(Fixture.startedJSON())])
    let started = try await client(node, directory.environment())
      .openConsentPage(.createOrg(name: "n"), options: ConsentPageOptions { _ in false })
    #expect(started.requestId == "rq-1")
    #expect(directory.text(of: "seen") == nil)
  }

  @Test func asksNothingWhereNoBrowserCanBeOpened() async throws {
    let node = ScriptedNode(replies: [.json(Fixture.startedJSON())])
    let client = try client(node, ["PATH": "/usr/bin"])
    #expect(
      await code { try await client.openConsentPage(.createOrg(name: "n")) }
        == .browserUnavailable)
    #expect(await node.calls.isEmpty)
  }

  @Test func keepsTheRequestWhenItsPageDoesNotOpen() async throws {
    try directory.add("xdg-open", "#!/bin/sh\nexit 3\n")
    let node = ScriptedNode(replies: [.json(Fixture.startedJSON())])
    let client = try client(node, directory.environment())
    do throws(ConsentError) {
      _ = try await client.openConsentPage(.createOrg(name: "n"))
      Issue.record("opened")
    } catch {
      #expect(error.code == .browserUnavailable)
      #expect(error.started == Fixture.started)
      #expect(error.advice.contains(Fixture.started.url))
    }
  }

  @Test func opensNoPageThatIsNotTheNodes() async throws {
    try directory.add("xdg-open", "#!/bin/sh\ntouch \"$(dirname \"$0\")/seen\"\n")
    let client = try client(ScriptedNode(replies: []), directory.environment())
    let foreign = ConsentStarted(
      requestId: "rq-1", url: "https://evil.example/rq-1", code: "7QF2-XK",
      expiresAt: TestClock.noon, kind: .leaveOrg)
    #expect(await code { try await client.openPage(of: foreign) } == .pageNotTrusted)
    #expect(directory.text(of: "seen") == nil)
  }
}
