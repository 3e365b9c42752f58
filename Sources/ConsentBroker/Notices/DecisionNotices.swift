import Callback
import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent

/// Tells the person of each decided request with one desktop notification, where a service for
/// that runs: what they decided, and for which app. No outcome, no name, no address.
@LoopActor final class DecisionNotices {
  /// Notifications on their way. More at once tell a person nothing.
  static let most = 8

  private let environment: [String: String]
  private let log: Log
  private var underWay = 0

  /// - Parameter environment: where the bus is looked for.
  init(
    environment: [String: String] = ProcessInfo.processInfo.environment, log: Log
  ) {
    self.environment = environment
    self.log = log
  }

  /// - Parameter package: the app's name of itself.
  func tell(_ state: RequestState, of package: String) {
    guard state == .approved || state == .declined, underWay < Self.most else { return }
    underWay += 1
    Task {
      await show(state, package)
      underWay -= 1
    }
  }

  private func show(_ state: RequestState, _ package: String) async {
    guard let bus = try? SessionBus(environment) else { return }
    defer { bus.close() }
    let locale = await DesktopLocale.current(environment, on: bus)
    let notification = Self.notification(of: state, package, in: PageLanguage(locale: locale))
    if await !notification.show(on: bus) { log.debug("no notification service took a message") }
  }

  /// The words of the page that the person has just seen.
  static func notification(
    of state: RequestState, _ package: String, in language: PageLanguage
  ) -> DesktopNotification {
    let text = language.text(on: .verdict(PageState(state)))
    return DesktopNotification(summary: text.heading, body: "\(text.happened)\n\(package)")
  }
}

extension PageLanguage {
  /// - Parameter locale: as in `LANG`: `de_CH.UTF-8`. English for what is not known.
  init(locale: String) {
    let language = locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }.lowercased()
    self = PageLanguage(rawValue: language) ?? .english
  }
}
