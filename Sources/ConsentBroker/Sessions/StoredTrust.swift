import MeroConsent

/// A session's trust as the ledger keeps it: `{"trust": …}`, as in the local API.
enum StoredTrust {
  static func text(_ trust: SessionTrust) -> String {
    String(decoding: JSONText(Body(trust: TrustJSON(trust))).bytes, as: UTF8.self)
  }

  /// `.unconfigured`, which trusts nothing, where the text cannot be read.
  static func read(_ text: String) -> SessionTrust {
    guard let value = try? JSONReader.read(Array(text.utf8)),
      var fields = try? JSONFields(value, path: "node."),
      let trust = try? TrustJSON.read(&fields)
    else { return .node(.unconfigured) }
    return trust
  }

  private struct Body: JSONObject {
    let trust: TrustJSON?

    func write(to json: inout JSONText) { json.member("trust", trust) }
  }
}
