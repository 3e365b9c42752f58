import Desktop
import EventLoop
import FoundationEssentials
import Testing

/// Where there is neither a bus nor a service manager: `xdg-open` alone, a script of the test's own.
/// One at a time: a file that is being written when another test forks cannot be run (ETXTBSY).
@Suite(.serialized) struct PageOpenerTests {
  static let page = "https://node.example/consent/rq-1?code=7QF2-XK&x=%20$HOME;'"

  /// A directory that goes with the test.
  final class Directory: Sendable {
    let path: String

    init() throws {
      path = "/tmp/mero-desktop-\(UUID().uuidString)"
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

  /// Time enough for a script to end on a machine that is busy with others.
  static let enough = Duration.seconds(60)

  func error(
    _ script: String, _ more: [String: String] = [:], url: String = page,
    within moment: Duration = enough
  ) async throws -> PageUnavailable.Reason? {
    try directory.add("xdg-open", "#!/bin/sh\n\(script)\n")
    return await Self.reason(directory.environment(more), url, within: moment)
  }

  static func reason(
    _ environment: [String: String], _ url: String = page, within moment: Duration = enough
  ) async -> PageUnavailable.Reason? {
    let opener = PageOpener(environment: environment, isService: false, moment: moment)
    do {
      // An opener's word is never a success.
      #expect(try await opener.open(url) == .unknown)
      return nil
    } catch {
      return error.reason
    }
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
    #expect(try await error("exit 3") == .noBrowser)
    #expect(try await error("sleep 0.05; exit 3") == .noBrowser)
    #expect(try await error("exit 4") == .failed)
    #expect(try await error("kill -9 $$") == .failed)
  }

  @Test func handsTheActivationTokenOver() async throws {
    try directory.add(
      "xdg-open", "#!/bin/sh\nprintf %s \"$XDG_ACTIVATION_TOKEN\" > \"$(dirname \"$0\")/seen\"\n")
    let stale = directory.environment(["XDG_ACTIVATION_TOKEN": "old", "DESKTOP_STARTUP_ID": "old"])
    let opener = PageOpener(environment: stale, isService: false, moment: Self.enough)
    _ = try await opener.open(Self.page)
    #expect(directory.text(of: "seen") == "")
    _ = try await opener.open(Self.page, activationToken: ActivationToken("tok-1"))
    #expect(directory.text(of: "seen") == "tok-1")
  }

  @Test func startsNoBrowserInsideOfAService() async throws {
    try directory.add("xdg-open", "#!/bin/sh\ntouch \"$(dirname \"$0\")/seen\"\n")
    let opener = PageOpener(environment: directory.environment(), isService: true)
    await #expect(throws: PageUnavailable(.failed)) { try await opener.open(Self.page) }
    #expect(directory.text(of: "seen") == nil)
  }

  @Test func doesNotStartItself() async throws {
    for (name, text) in [
      (
        "config/mimeapps.list",
        "[Default Applications]\nx-scheme-handler/https=mero-consent.desktop;\n"
      ),
      ("data/applications/mero-consent.desktop", "[Desktop Entry]\n"),
    ] {
      try FileManager.default.createDirectory(
        atPath: Files.directory(of: "\(directory.path)/\(name)"), withIntermediateDirectories: true)
      try directory.add(name, text, mode: 0o644)
    }
    let more = [
      "XDG_CONFIG_HOME": "\(directory.path)/config", "XDG_DATA_HOME": "\(directory.path)/data",
    ]
    #expect(try await error("touch \"$(dirname \"$0\")/seen\"", more) == .noBrowser)
    #expect(directory.text(of: "seen") == nil)
  }

  @Test func waitsForNoBrowser() async throws {
    // It outlives the call, and so does what it started.
    #expect(
      try await error("trap '' TERM; sleep 5 & sleep 5; exit 3", within: .milliseconds(50)) == nil)
  }

  @Test func doesNotOpenWhatIsNoWebAddress() async throws {
    for url in ["--version", "file:///etc/passwd", "javascript:x", "", "https://h/ x"] {
      #expect(try await error("touch \"$(dirname \"$0\")/seen\"", url: url) == .failed)
    }
    #expect(directory.text(of: "seen") == nil)
  }

  @Test(arguments: [["DISPLAY": ""], ["DISPLAY": "", "WAYLAND_DISPLAY": ""]])
  func isUnavailableWithoutADesktop(environment: [String: String]) async throws {
    let ssh = environment.merging(["SSH_CONNECTION": "x"]) { old, _ in old }
    #expect(
      try await error("touch \"$(dirname \"$0\")/seen\"", ssh) == .noDisplay)
    #expect(directory.text(of: "seen") == nil)
  }

  @Test func isUnavailableWithoutAnOpener() async throws {
    let path = directory.path
    for search in ["", path, "\(path)/none", "relative:.", "/dev/null"] {
      let environment = ["PATH": search, "DISPLAY": ":7"]
      #expect(await Self.reason(environment) == .noOpener)
      await #expect(throws: PageUnavailable(.noOpener)) {
        try await PageOpener(environment: environment, isService: false).check()
      }
    }
  }

  @Test func passesOverWhatIsNotToBeRun() async throws {
    let other = try Directory()
    try directory.add("xdg-open", "#!/bin/sh\n", mode: 0o644)
    try other.add("xdg-open", "#!/bin/sh\ntouch \"$(dirname \"$0\")/seen\"\n")
    let environment = ["PATH": "\(directory.path):\(other.path)", "WAYLAND_DISPLAY": "w"]
    #expect(
      await Self.reason(
        environment.merging(["PATH": environment["PATH"]! + ":/bin:/usr/bin"]) { $1 }) == nil)
    #expect(other.text(of: "seen") == "")
  }
}
