import ConsentClient
import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent

/// `mero-consent handle`: what the desktop runs for a URL of a scheme of ours.
enum HandleCommand {
  /// The scheme that the package itself registers, and the only place that it has.
  private static let ownScheme = "mero-consent"
  private static let ownPlace = "return"

  static let command = Command(
    path: ["handle"], group: .returns, summary: "hand a return URL to the daemon",
    description: [
      "The desktop runs this for the URLs of our own scheme, and of those that “register-scheme” "
        + "was given. It does not wait for the decision: the app that asked hears of it. When the "
        + "daemon did not take the return, a notification says so."
    ],
    options: [.socket],
    operands: [.init(metavar: "URL", help: "the URL exactly as the browser had it")],
    exitCodes: [.done, .usage, .badData, .unavailable, .notAllowed, .configuration],
    examples: [
      .init(
        text: "As the desktop does it",
        line: "mero-consent handle 'mero-consent://return?request_id=rq_1&result=approved'")
    ],
    run: { (arguments, terminal) throws(CommandFailure) in
      let environment = ProcessInfo.processInfo.environment
      do throws(CommandFailure) {
        let url = try url(arguments.rawOperands[0])
        try await Daemon.call { () throws(BrokerError) in
          try await Daemon.client(arguments).accept(
            returned: url, activationToken: activationToken(environment)?.text)
        }
      } catch {
        // Whoever clicked sees no standard error.
        if !terminal.surroundings.isInteractive { await tell(error, environment) }
        throw error
      }
      try terminal.document(["accepted": true])
      return .done
    })

  /// - Throws: for what the daemon need not be asked about.
  static func url(_ bytes: [UInt8]) throws(CommandFailure) -> String {
    let returned: ReturnURL
    do {
      returned = try ReturnURL(bytes: bytes)
    } catch {
      throw CommandFailure(error)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(ConsentError(.returnURLMalformed))
    }
    guard let scheme = returned.scheme, scheme != "http", scheme != "https" else {
      throw refusal("pages of the web are not handed over here")
    }
    if scheme == ownScheme, !returned.isReturn(toScheme: ownScheme, path: ownPlace) {
      throw refusal("only \(ownScheme)://\(ownPlace) is a return")
    }
    // The node puts the name there, in this spelling.
    guard returned.requestId != nil || returned.contradictsItself else {
      throw refusal("it has no request_id")
    }
    return text
  }

  private static func refusal(_ complaint: String) -> CommandFailure {
    CommandFailure(.badData, .urlMalformed, "this URL is no return of a consent page: \(complaint)")
  }

  /// Some messages are whole sentences, and some are not.
  static func sentence(_ message: String) -> String {
    message.hasSuffix(".") ? message : message + "."
  }

  private static func activationToken(_ environment: [String: String]) -> ActivationToken? {
    ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"].lazy.compactMap { environment[$0] }
      .compactMap(ActivationToken.init).first
  }

  @LoopActor private static func tell(
    _ failure: CommandFailure, _ environment: [String: String]
  ) async {
    guard let bus = try? SessionBus(environment) else { return }
    defer { bus.close() }
    let notification = DesktopNotification(
      summary: "The answer did not arrive",
      body: escaped(sentence(failure.message))
        + " Go back to the app: it may find the decision by itself.")
    _ = await notification.show(on: bus)
  }
}
