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
      ExitCode(error), code: error.code.rawValue, error.advice, field: error.field)
  }
}

extension ExitCode {
  /// A node that was reached and refuses what was asked (4xx) will refuse it again: it is the
  /// request that cannot be used. 408, 425 and 429 ask for a later try.
  init(_ error: BrokerError) {
    if error.consentCode == .nodeError, let status = error.nodeStatus,
      (400..<500).contains(status), ![408, 425, 429].contains(status)
    {
      self = .badData
    } else {
      self.init(error.code)
    }
  }

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
