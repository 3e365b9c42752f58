import EventLoop
import MeroConsent

/// The options that name a session's tokens.
enum TokenOptions {
  static let access = Option(
    "token-file", "FILE",
    help: "the access token, in a file that only you can read, or - for standard input",
    required: true, values: .file)
  static let refresh = Option(
    "refresh-token-file", "FILE", help: "the refresh token, likewise", values: .file)

  /// - Throws: `FILE_NOT_PRIVATE`, `FILE_UNUSABLE`.
  @LoopActor static func read(
    _ arguments: ParsedArguments, on terminal: Terminal
  ) throws(CommandFailure) -> SessionTokens {
    let sources = [access, refresh].compactMap { arguments.value($0) }
    guard sources.count(where: { $0 == SecretInput.standardInput }) < 2 else {
      throw .usage("only one of the tokens can come from standard input")
    }
    var tokens: [String] = []
    for (source, name) in zip(sources, ["access token", "refresh token"]) {
      tokens.append(try SecretInput.read(source, called: name, on: terminal))
    }
    return SessionTokens(
      accessToken: tokens.first ?? "", refreshToken: tokens.count > 1 ? tokens[1] : nil)
  }
}
