import EventLoop
import FoundationEssentials
import Glibc

/// The person's language.
package enum DesktopLocale {
  /// For the user manager to answer.
  private static let limit = Duration.milliseconds(400)

  /// The desktop's as it is now, as in `LANG`: `de_CH.UTF-8`; `C` where nothing is set.
  ///
  /// - Parameter environment: this process's.
  @LoopActor package static func current(
    _ environment: [String: String], on bus: SessionBus
  ) async -> String {
    let userManager = UserManager(on: bus)
    let manager = try? await userManager.environment(until: .now + limit)
    let desktop = DesktopEnvironment(
      ours: environment, manager: manager,
      isService: environment["SYSTEMD_EXEC_PID"] == "\(getpid())")
    return of(desktop.values)
  }

  /// In the order of setlocale(3).
  package static func of(_ environment: [String: String]) -> String {
    ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty } ?? "C"
  }
}
