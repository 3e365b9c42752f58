import Testing

@testable import Desktop

@Suite struct DesktopEnvironmentTests {
  static let screen = ["DISPLAY": ":0", "HOME": "/home/x"]

  @Test func aServiceTakesWhatTheManagerHasNow() {
    let desktop = DesktopEnvironment(
      ours: ["DISPLAY": ":1"], manager: ["WAYLAND_DISPLAY": "wayland-9"], isService: true)
    #expect(desktop.source == .manager)
    #expect(desktop.values == ["WAYLAND_DISPLAY": "wayland-9"])
    let later = DesktopEnvironment(ours: ["DISPLAY": ":1"], manager: [:], isService: true)
    #expect(!later.hasDisplay)
  }

  @Test func whatWasStartedByHandTakesItsOwnDisplay() {
    let desktop = DesktopEnvironment(
      ours: ["DISPLAY": ":1"], manager: Self.screen, isService: false)
    #expect(desktop.source == .ours)
    #expect(desktop.values == ["DISPLAY": ":1"])
    let console = DesktopEnvironment(ours: ["HOME": "/h"], manager: Self.screen, isService: false)
    #expect(console.source == .manager && console.hasDisplay)
  }

  @Test(arguments: ["SSH_CONNECTION", "SSH_TTY"])
  func aPersonOverSSHDoesNotSeeTheScreenHere(variable: String) {
    let desktop = DesktopEnvironment(
      ours: [variable: "x", "DISPLAY": ""], manager: Self.screen, isService: false)
    #expect(!desktop.hasDisplay)
    // A display that SSH forwards is theirs.
    let forwarded = DesktopEnvironment(
      ours: [variable: "x", "DISPLAY": "localhost:10.0"], manager: Self.screen, isService: false)
    #expect(forwarded.values["DISPLAY"] == "localhost:10.0")
  }

  @Test func theManagersVariablesPassButForWhatBreaksBrowsers() {
    let bad = [
      "LD_LIBRARY_PATH", "LD_PRELOAD", "GIO_MODULE_DIR", "LISTEN_FDS", "LISTEN_FDNAMES",
      "NOTIFY_SOCKET", "WATCHDOG_USEC", "MERO_X", "XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID",
    ]
    let manager = Dictionary(uniqueKeysWithValues: bad.map { ($0, "x") })
      .merging(["MOZ_ENABLE_WAYLAND": "1", "DISPLAY": ":0"]) { $1 }
    let desktop = DesktopEnvironment(ours: [:], manager: manager, isService: true)
    #expect(desktop.values == ["MOZ_ENABLE_WAYLAND": "1", "DISPLAY": ":0"])
    for name in bad + ["INVOCATION_ID", "JOURNAL_STREAM"] {
      #expect(desktop.unfit.contains(name), "\(name)")
    }
  }

  @Test func looksForProgramsInAbsolutePlacesOnly() {
    func program(_ path: String) -> String? {
      DesktopEnvironment(ours: ["PATH": path], manager: nil, isService: false).program("sh")
    }
    #expect(program("bin:.:/bin") == "/bin/sh")
    #expect(program("bin:.") == nil)
    #expect(program("") == nil)
  }
}
