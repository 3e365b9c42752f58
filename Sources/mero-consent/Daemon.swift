import ConsentClient
import EventLoop
import MeroConsent

/// Calls of the daemon, with its refusals as this program's.
enum Daemon {
  static func client(_ arguments: ParsedArguments) -> BrokerClient {
    BrokerClient(socket: arguments.value(.socket))
  }

  @LoopActor static func call<Value: Sendable>(
    _ body: @LoopActor () async throws(BrokerError) -> Value
  ) async throws(CommandFailure) -> Value {
    do throws(BrokerError) { return try await body() } catch { throw CommandFailure(error) }
  }
}

extension CommandFailure {
  init(_ error: BrokerError) {
    self.init(
      ExitCode(error.code), code: error.code.rawValue, error.advice, hint: Self.hint(error),
      field: error.field)
  }

  private static func hint(_ error: BrokerError) -> String? {
    switch error.code {
    case .daemonUnavailable:
      "Start it with “systemctl --user start mero-consentd.socket”, or by hand with "
        + "“mero-consentd &”; “mero-consent doctor” tells more."
    case .daemonUntrusted: "“mero-consent doctor” tells whose it is."
    case .keyRequired: "Add the session again with “mero-consent session add”."
    case BrokerError.Code(.sessionExpired):
      "Give the session new tokens with “mero-consent session renew NAME”."
    default: nil
    }
  }
}

extension ExitCode {
  /// A code of the daemon's that is not known here is the daemon's fault, not the caller's.
  init(_ code: BrokerError.Code) {
    if let known = ConsentError.Code(rawValue: code.rawValue) {
      self.init(known)
      return
    }
    self =
      switch code {
      case .daemonUntrusted, .keyRequired: .notAllowed
      case .notFound, .fieldInvalid, .idempotencyKeyReused, .answerInvalid: .badData
      default: .unavailable
      }
  }

  /// No `default`: a new code does not compile until somebody has chosen how it ends.
  init(_ code: ConsentError.Code) {
    self =
      switch code {
      case .notDecided: .notDecided
      case .requestMismatch: .mismatch
      case .replaced: .replaced
      case .expired: .expired
      case .cancelled: .cancelled
      case .requestInvalid, .returnToNotAllowed, .codeMismatch, .pageNotTrusted, .resultInvalid,
        .returnURLMalformed:
        .badData
      case .nodeUnreachable, .nodeError, .browserUnavailable, .stateUnavailable: .unavailable
      case .nodeUntrusted, .sessionExpired: .notAllowed
      case .configurationInvalid: .configuration
      }
  }
}
