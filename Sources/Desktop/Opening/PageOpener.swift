import EventLoop
import FoundationEssentials
import Glibc

/// Opens a page in the person's browser: through the desktop's portal, else by `xdg-open`, which
/// is started outside of this process's sandbox and control group, and left alone.
///
/// Nothing of the desktop is remembered between two calls: the display, the bus and the browser
/// of this moment count.
package struct PageOpener: Sendable {
  /// All of it: who asked for a request waits for this.
  static let limit = Duration.milliseconds(1800)
  /// For the user manager to say what the environment is.
  private static let managerLimit = Duration.milliseconds(400)
  /// For the portal, from the beginning. What is left then is the opener's.
  private static let portalLimit = Duration.milliseconds(1400)
  private let environment: [String: String]
  private let isService: Bool
  private let moment: Duration

  /// - Parameters:
  ///   - environment: this process's.
  ///   - isService: whether the service manager started this process; `nil` to find out.
  ///   - moment: how long an opener has to fail. Tests have more of it than a person.
  package init(
    environment: [String: String] = ProcessInfo.processInfo.environment, isService: Bool? = nil,
    moment: Duration = .milliseconds(700)
  ) {
    self.environment = environment
    self.moment = moment
    // systemd.exec(5): set to the process that the manager started, so a child can tell.
    self.isService = isService ?? (environment["SYSTEMD_EXEC_PID"] == "\(getpid())")
  }

  /// Whether a page could be opened now.
  @LoopActor package func check() async throws(PageUnavailable) {
    let bus = try? SessionBus(environment)
    defer { bus?.close() }
    let desktop = try await desktop(bus.map { UserManager(on: $0) })
    guard bus != nil || desktop.program("xdg-open") != nil else {
      throw PageUnavailable(.noOpener)
    }
  }

  /// - Parameters:
  ///   - address: of a web page.
  ///   - activationToken: from the app in front, so that the browser may come there (Wayland).
  @LoopActor package func open(
    _ address: String, activationToken: ActivationToken? = nil
  ) async throws(PageUnavailable) -> PageOpening {
    // What is no web address could be read as an option, or start any program at all.
    guard Self.isWebAddress(address) else { throw PageUnavailable(.failed) }
    let begin = BootInstant.now
    let bus = try? SessionBus(environment)
    defer { bus?.close() }
    let manager = bus.map { UserManager(on: $0) }
    let desktop = try await desktop(manager)
    if let bus {
      let portal = OpenURIPortal(on: bus)
      let outcome = await portal.open(
        address, activationToken: activationToken, until: begin + Self.portalLimit)
      switch outcome {
      case .opened: return .opened
      case .unknown: return .unknown
      case .cancelled: throw PageUnavailable(.cancelled)
      case .failed: break
      }
    }
    let exit = try await runOpener(
      address, activationToken, desktop, manager,
      until: min(.now + moment, begin + max(Self.limit, moment)))
    switch exit {
    case nil, .code(0): return .unknown
    // xdg-open(1): "A required tool could not be found."
    case .code(3): throw PageUnavailable(.noBrowser)
    default: throw PageUnavailable(.failed)
    }
  }

  static func isWebAddress(_ text: String) -> Bool {
    (text.hasPrefix("https://") || text.hasPrefix("http://"))
      && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }

  /// - Throws: where there is nothing that a page could be seen on.
  @LoopActor private func desktop(
    _ manager: UserManager?
  ) async throws(PageUnavailable) -> DesktopEnvironment {
    let values = try? await manager?.environment(until: .now + Self.managerLimit)
    let desktop = DesktopEnvironment(ours: environment, manager: values, isService: isService)
    guard desktop.hasDisplay else { throw PageUnavailable(.noDisplay) }
    // With nothing else set, a desktop may take the handler of our own schemes for a browser.
    guard !MimeDefaults(desktop.values).opensWebPagesWithUs else {
      throw PageUnavailable(.noBrowser)
    }
    return desktop
  }

  /// - Returns: how the opener ended, where it did in time.
  @LoopActor private func runOpener(
    _ address: String, _ activationToken: ActivationToken?, _ desktop: DesktopEnvironment,
    _ manager: UserManager?, until limit: BootInstant
  ) async throws(PageUnavailable) -> ChildProcess.Exit? {
    guard let path = desktop.program("xdg-open") else { throw PageUnavailable(.noOpener) }
    let token = activationToken.map { ["XDG_ACTIVATION_TOKEN": $0.text] } ?? [:]
    if let manager {
      let own = desktop.source == .ours ? desktop.values : [:]
      let program = UserManager.Program(
        path: path, arguments: [address], environment: own.merging(token) { $1 },
        unset: desktop.unfit.filter { token[$0] == nil })
      do {
        return try await manager.run(program, until: limit)
      } catch {
        // It may still come: a second try could open a second tab.
        if error.isTimeout { return nil }
      }
    }
    // A browser inside of our own sandbox would break, and end with us.
    guard !isService else { throw PageUnavailable(.failed) }
    let lines = desktop.values.merging(token) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
    do {
      let child = try ChildProcess.spawn(
        ChildProcess.Command(path: path, arguments: [address], environment: lines))
      return await child.exit(until: limit)
    } catch {
      throw PageUnavailable(.failed)
    }
  }
}
