import ConsentClient
import MeroConsent

/// The request that a command is about.
enum ChosenRequest {
  static let operand = Command.Operand(
    metavar: "ID", help: "the request (default: the session's newest)", isOptional: true)

  /// - Returns: the id on the command line, else the newest request's.
  static func id(
    _ arguments: ParsedArguments, in session: BrokerSession
  ) async throws(CommandFailure) -> String {
    if let id = try arguments.operand(0) {
      guard !id.isEmpty else { throw .usage("the request's id is empty") }
      return id
    }
    let page = try await Daemon.call { () throws(BrokerError) in
      try await session.requests(limit: 1)
    }
    guard let newest = page.requests.first else {
      throw CommandFailure(
        .badData, code: BrokerError.Code.notFound.rawValue, "the session has no request",
        hint: "“mero-consent help request” tells how to start one.")
    }
    return newest.requestId
  }
}
