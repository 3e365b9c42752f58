import DevelopmentNode
import EventLoop
import Testing

/// A node's memory with one account, and calls to it as they come out of an envelope.
struct NodeFixture {
  static let noon = WallInstant(milliseconds: 1_800_000_000_000)

  var node: NodeState
  var now = noon
  let account: String
  let tokens: Accounts.Tokens

  init(prefix: String = "") {
    node = NodeState(place: NodePlace(port: 4000, prefix: prefix))
    account = node.accounts.newAccount()
    tokens = node.issueTokens(to: account, at: now)
  }

  mutating func call(
    _ method: String, _ path: String, _ body: String = "", bearer: String? = nil
  ) -> Ran {
    let request = APIRequest(
      method: method, path: path,
      headers: [("Authorization", "Bearer \(bearer ?? tokens.access)")], body: Array(body.utf8))
    return node.run(request, at: now)
  }

  /// Asks, and answers the request's id.
  mutating func ask(_ body: String, bearer: String? = nil) throws -> String {
    let ran = call("POST", "/consent/requests", body, bearer: bearer)
    return try #require(ran.record?.id, "\(ran.answer.status)")
  }

  mutating func result(_ id: String, bearer: String? = nil) -> Ran {
    call("GET", "/consent/\(id)/result", bearer: bearer)
  }

  mutating func decide(_ id: String, _ decision: ConsentBook.Decision) throws {
    _ = try node.decide(id, decision, at: now)
  }
}

extension APIAnswer {
  var json: JSON? { try? JSON(parsing: body) }
  var text: String { String(decoding: body, as: UTF8.self) }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension WallInstant {
  init(milliseconds: Int64) { self.init(nanoseconds: milliseconds * 1_000_000) }

  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
