import MeroConsent

/// The body of `POST /v1/sessions`.
struct SessionBody {
  let opening: SessionOpening

  init(_ call: APICall) throws(APIProblem) {
    var fields = try call.fields()
    var node = try fields.object("node")
    opening = SessionOpening(
      package: try fields.text("package"), account: try Self.account(&fields),
      nodeURL: try node.text("url"), trust: try TrustJSON.read(&node),
      tokens: try TokensBody.read(&fields), origins: try fields.optionalTexts("origins") ?? [],
      returnTo: try fields.optionalText("returnTo"))
    try node.finish()
    try fields.finish()
  }

  private static func account(_ fields: inout JSONFields) throws(APIProblem) -> String? {
    guard let account = try fields.optionalText("account") else { return nil }
    guard TrustJSON.isHex(account, digits: 64) else {
      throw fields.invalid("account", "is not 64 hexadecimal digits")
    }
    return account
  }
}

/// The body of `PATCH /v1/session`: a session's new tokens.
struct TokensBody {
  let tokens: SessionTokens

  init(_ call: APICall) throws(APIProblem) {
    var fields = try call.fields()
    tokens = try Self.read(&fields)
    try fields.finish()
  }

  static func read(_ fields: inout JSONFields) throws(APIProblem) -> SessionTokens {
    SessionTokens(
      accessToken: try fields.text("accessToken"),
      refreshToken: try fields.optionalText("refreshToken"))
  }
}
