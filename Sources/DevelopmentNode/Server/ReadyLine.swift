extension DevelopmentNode {
  /// What a program that started the node has to know: one line of JSON. Its members `package`,
  /// `origins`, `returnTo`, `accessToken` and `refreshToken` are those that opening a session with
  /// the daemon takes.
  package var readyLine: String {
    var line: JSON = [
      "url": .string(state.place.base), "transportKey": .string(transportKeyHex),
      "account": .string(account), "accessToken": .string(tokens.access),
      "refreshToken": .string(tokens.refresh), "package": .string(state.place.package),
      "origins": .strings(state.place.origins), "returnTo": .string(state.place.returnTo),
      "control": .string(state.place.base + "/dev"),
    ]
    line["callback"] = state.settings.callback.map { .string($0.description) }
    return String(decoding: line.bytes, as: UTF8.self)
  }
}
