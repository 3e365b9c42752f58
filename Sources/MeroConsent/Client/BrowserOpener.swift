import EventLoop
import FoundationEssentials

/// Opens a page in the person's browser with `xdg-open`.
///
/// The program is started and left alone: with some desktops it lives as long as the browser.
/// That it ended well says nothing (old versions claim success and open nothing), so "opened" is
/// never promised; only a failure within a moment is told.
package struct BrowserOpener: Sendable {
  /// How long an opener has to fail.
  private static let moment = Duration.milliseconds(1000)

  private let environment: [String: String]

  /// - Parameter environment: where the opener is looked for, and the desktop that it is to use.
  package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.environment = environment
  }

  /// The opener's path, if it could be used now.
  ///
  /// - Throws: `BROWSER_UNAVAILABLE` where there is no desktop (over ssh `xdg-open` would start a
  ///   text browser that nobody sees), or no opener.
  @discardableResult package func opener() throws(ConsentError) -> String {
    let display = ["WAYLAND_DISPLAY", "DISPLAY"].compactMap { environment[$0] }
    guard display.contains(where: { !$0.isEmpty }) else { throw ConsentError(.browserUnavailable) }
    for directory in (environment["PATH"] ?? "").split(separator: ":") {
      // A relative entry would name another program in each working directory.
      guard directory.hasPrefix("/") else { continue }
      let path = "\(directory)/xdg-open"
      guard let status = try? Files.status(of: path), status.kind == .regular,
        status.mode & 0o111 != 0
      else { continue }
      return path
    }
    throw ConsentError(.browserUnavailable)
  }

  /// - Throws: `BROWSER_UNAVAILABLE`, also when the opener fails within a moment.
  @LoopActor package func open(_ url: String) async throws(ConsentError) {
    let path = try opener()
    // What is no web address could be read as an option, or start any program at all.
    guard WebURL(url) != nil else { throw ConsentError(.browserUnavailable) }
    let child: ChildProcess
    do throws(SystemError) {
      child = try ChildProcess.spawn(
        ChildProcess.Command(path: path, arguments: [url], environment: passedOn))
    } catch {
      throw ConsentError(.browserUnavailable, cause: error)
    }
    let exit = await Race().exit(of: child, within: Self.moment)
    guard exit == nil || exit == .code(0) else { throw ConsentError(.browserUnavailable) }
  }

  /// What a browser needs of our environment. A list of what passes, since the other way round
  /// library paths, sockets and secrets of whoever started us get through.
  private var passedOn: [String] {
    let names: Set<String> = [
      "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY",
      "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "BROWSER",
      "GNOME_DESKTOP_SESSION_ID", "KDE_FULL_SESSION", "KDE_SESSION_VERSION",
    ]
    return environment.filter { name, _ in
      names.contains(name) || name.hasPrefix("LC_") || name.hasPrefix("XDG_")
    }.map { "\($0.key)=\($0.value)" }.sorted()
  }
}

/// A child's end or a time limit, whichever comes first.
@LoopActor private final class Race {
  private var waiter: UnsafeContinuation<ChildProcess.Exit?, Never>?
  private let timer = LoopTimer()

  init() {}

  func exit(of child: ChildProcess, within limit: Duration) async -> ChildProcess.Exit? {
    await withUnsafeContinuation { waiter in
      self.waiter = waiter
      timer.arm(after: limit) { self.end(nil) }
      Task { end(await child.waitForExit()) }
    }
  }

  private func end(_ exit: ChildProcess.Exit?) {
    timer.disarm()
    waiter?.resume(returning: exit)
    waiter = nil
  }
}
