import EventLoop

/// The environment of the person's desktop, as of one moment: what a browser is started with.
struct DesktopEnvironment: Sendable, Equatable {
  enum Source: Sendable, Equatable {
    /// This process's own: it was started from a terminal of the desktop, or is an app on it.
    case ours
    /// The user manager's, where desktops put what programs need to find them.
    case manager
  }

  let source: Source
  let values: [String: String]
  /// Names that a program which the manager starts must not get from it.
  let unfit: [String]

  /// - Parameters:
  ///   - ours: this process's environment.
  ///   - manager: the user manager's, where it answered.
  ///   - isService: whether the manager started this process. Then its own variables are a copy
  ///     from its start, when there may have been no desktop, or another.
  init(ours: [String: String], manager: [String: String]?, isService: Bool) {
    unfit = ((manager ?? [:]).keys.filter { !Self.isFit($0) } + Self.ofEveryUnit).sorted()
    let isRemote = ours["SSH_CONNECTION"] != nil || ours["SSH_TTY"] != nil
    // A person at the other end of SSH does not see the display of this machine.
    if let manager, isService || (!Self.hasDisplay(ours) && !isRemote && Self.hasDisplay(manager)) {
      source = .manager
      values = manager.filter { Self.isFit($0.key) }
    } else {
      source = .ours
      values = ours.filter { Self.isForDesktops($0.key) }
    }
  }

  var hasDisplay: Bool { Self.hasDisplay(values) }

  private static func hasDisplay(_ values: [String: String]) -> Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { values[$0]?.isEmpty == false }
  }

  /// The path of a program by PATH.
  func program(_ name: String) -> String? { Self.program(name, in: values["PATH"]) }

  static func program(_ name: String, in search: String?) -> String? {
    for directory in (search ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":") {
      // A relative entry would name another program in each working directory.
      guard directory.hasPrefix("/") else { continue }
      let path = "\(directory)/\(name)"
      guard let status = try? Files.status(of: path), status.kind == .regular,
        status.mode & 0o111 != 0
      else { continue }
      return path
    }
    return nil
  }

  /// What a browser needs of our own environment. A list of what passes, since the other way
  /// round library paths, sockets and secrets of whoever started us get through.
  private static func isForDesktops(_ name: String) -> Bool {
    let names: Set<String> = [
      "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY",
      "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "BROWSER",
      "GNOME_DESKTOP_SESSION_ID", "KDE_FULL_SESSION", "KDE_SESSION_VERSION",
    ]
    return names.contains(name)
      || (name.hasPrefix("LC_") || name.hasPrefix("XDG_")) && !isOfOneStart(name)
  }

  /// Whether a variable of the manager's passes. These are the person's own settings; only what
  /// breaks a browser, or belongs to one program, does not.
  static func isFit(_ name: String) -> Bool {
    let kept = [
      "LD_", "GIO_MODULE_DIR", "LISTEN_", "NOTIFY_SOCKET", "WATCHDOG_", "MERO_",
      "CREDENTIALS_DIRECTORY",
    ]
    return !(kept + ofEveryUnit).contains { name.hasPrefix($0) } && !isOfOneStart(name)
  }

  /// What the manager tells each unit about itself (systemd.exec(5)).
  private static let ofEveryUnit = [
    "INVOCATION_ID", "JOURNAL_STREAM", "MANAGERPID", "SYSTEMD_EXEC_PID",
  ]

  /// Tokens that let one program that was just started come to the front.
  private static func isOfOneStart(_ name: String) -> Bool {
    name == "XDG_ACTIVATION_TOKEN" || name == "DESKTOP_STARTUP_ID"
  }
}
