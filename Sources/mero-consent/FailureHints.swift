import ConsentClient
import EventLoop
import MeroConsent

/// Says of a failure what only the command line knows: which socket, which session.
enum FailureHints {
  @LoopActor static func completed(
    _ failure: CommandFailure, of arguments: ParsedArguments
  ) async -> CommandFailure {
    guard failure.hint == nil else { return failure }
    var told = failure
    let code = BrokerError.Code(rawValue: failure.code)
    switch code {
    case .daemonUnavailable:
      let (message, hint) = await DaemonAbsence.explained(arguments)
      (told.message, told.hint) = (message, hint)
    case .keyRequired: told.message = unknownSession(arguments)
    default: break
    }
    told.hint = told.hint ?? hint(code, session: SessionHints.name(arguments), arguments)
    return told
  }

  /// - Parameter session: its name, where one is concerned.
  static func hint(
    _ code: BrokerError.Code, session: String?, _ arguments: ParsedArguments
  ) -> String? {
    switch code {
    case .daemonUntrusted:
      "The socket is \(Daemon.client(arguments).socket); “mero-consent doctor” tells whose it is."
    case .keyRequired:
      "Add it again with “\(arguments.again("session add", words: [session ?? "NAME"])) …”, or "
        + "name its daemon's socket with --socket."
    case BrokerError.Code(.sessionExpired):
      "Give the session new tokens: \(SessionHints.renewal(of: session, arguments))"
    default: nil
    }
  }

  /// The daemon's own words are for programs.
  private static func unknownSession(_ arguments: ParsedArguments) -> String {
    let name = SessionHints.name(arguments).map { " “\($0)”" } ?? ""
    return "The daemon at \(Daemon.client(arguments).socket) does not know the session\(name): it "
      + "has ended there, or was added to another daemon."
  }
}
