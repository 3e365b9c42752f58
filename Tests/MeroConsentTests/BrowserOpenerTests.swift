import EventLoop
import FoundationEssentials
import MeroConsent
import Synchronization
import Testing

/// Against a program named xdg-open in a directory of the test's own. One at a time: a file that is
/// being written when another test forks cannot be run (ETXTBSY).
@Suite(.serialized) struct BrowserOpenerTests {
  static let page = "https://node.example/consent/rq-1?code=7QF2-XK&x=%20"

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

  func error(
    _ script: String, _ more: [String: String] = [:], url: String = page
  ) async throws -> ConsentError.Code? {
    try directory.add("xdg-open", "#!/bin/sh\n\(script)\n")
    let opener = BrowserOpener(environment: directory.environment(more))
    return await code { try await opener.open(url) }
  }

  @Test func handsOverTheURLByteForByte() async throws {
    let script = #"printf '%s|' "$#" "$@" > "$(dirname "$0")/seen""#
    #expect(try await error(script) == nil)
    #expect(directory.text(of: "seen") == "1|\(Self.page)|")
  }

  @Test func passesOnWhatADesktopNeedsAndNothingElse() async throws {
    let passed = [
      "HOME": "/home/x", "WAYLAND_DISPLAY": "wayland-9", "DBUS_SESSION_BUS_ADDRESS": "unix:path=x",
      "XDG_RUNTIME_DIR": "/run/user/7", "XDG_CURRENT_DESKTOP": "KDE", "LC_ALL": "C",
    ]
    let kept = [
      "LD_LIBRARY_PATH": "x", "LD_PRELOAD": "", "GIO_MODULE_DIR": "x", "LISTEN_PID": "1",
      "LISTEN_FDS": "1", "LISTEN_FDNAMES": "x", "NOTIFY_SOCKET": "x", "WATCHDOG_USEC": "1",
      "WATCHDOG_PID": "1", "MERO_TOKEN": "secret", "SSL_CERT_FILE": "x", "GTK_PATH": "x",
    ]
    let script = #"/usr/bin/env > "$(dirname "$0")/seen""#
    #expect(try await error(script, passed.merging(kept) { old, _ in old }) == nil)
    let seen = Set(try #require(directory.text(of: "seen")).split(separator: "\n"))
    for (name, value) in passed { #expect(seen.contains("\(name)=\(value)")) }
    for name in kept.keys { #expect(!seen.contains { $0.hasPrefix("\(name)=") }) }
  }

  @Test func tellsAFailureWithinAMoment() async throws {
    #expect(try await error("exit 3") == .browserUnavailable)
    #expect(try await error("kill -9 $$") == .browserUnavailable)
  }

  @Test func waitsForNoBrowser() async throws {
    // It outlives the call, and so does what it started.
    #expect(try await error("trap '' TERM; sleep 5 & exec sleep 5") == nil)
  }

  @Test func doesNotOpenWhatIsNoWebAddress() async throws {
    for url in ["--version", "file:///etc/passwd", "javascript:x", "", "https://h/ x"] {
      #expect(try await error("touch \"$(dirname \"$0\")/seen\"", url: url) == .browserUnavailable)
    }
    #expect(directory.text(of: "seen") == nil)
  }

  @Test(arguments: [["DISPLAY": ""], ["DISPLAY": "", "WAYLAND_DISPLAY": ""]])
  func isUnavailableWithoutADesktop(environment: [String: String]) async throws {
    let ssh = environment.merging(["SSH_CONNECTION": "x"]) { old, _ in old }
    #expect(
      try await error("touch \"$(dirname \"$0\")/seen\"", ssh) == .browserUnavailable)
    #expect(directory.text(of: "seen") == nil)
  }

  @Test func isUnavailableWithoutAnOpener() async throws {
    let path = directory.path
    for search in ["", path, "\(path)/none", "relative:.", "/dev/null"] {
      let opener = BrowserOpener(environment: ["PATH": search, "DISPLAY": ":7"])
      #expect(await code { try await opener.open(Self.page) } == .browserUnavailable)
    }
    #expect(refusal { try BrowserOpener(environment: ["DISPLAY": ":7"]).opener() } != nil)
  }

  @Test func passesOverWhatIsNotToBeRun() throws {
    let other = try Directory()
    try directory.add("xdg-open", "#!/bin/sh\n", mode: 0o644)
    try other.add("xdg-open", "#!/bin/sh\n")
    let opener = BrowserOpener(
      environment: ["PATH": "\(directory.path):\(other.path)", "WAYLAND_DISPLAY": "w"])
    #expect(try opener.opener() == "\(other.path)/xdg-open")
  }

  // MARK: openConsentPage

  func client(_ node: ScriptedNode, _ environment: [String: String]) throws -> MeroClient {
    try MeroClient(
      node: NodeAddress(Fixture.nodeURL), tokens: Fixture.tokens, origins: [], returnTo: nil,
      transport: node, clock: TestClock().clock(),
      browser: BrowserOpener(environment: environment), onTokensChanged: nil)
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
