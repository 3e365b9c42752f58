import FoundationEssentials

/// The node's answer to POST /consent/requests. Unknown fields are ignored.
struct StartedAnswer: Decodable {
  let requestId: String
  let url: String
  let code: String
  let expiresAt: WireDate
}

/// The node's answer to GET /consent/{id}/result, before anything in it was believed.
struct ResultAnswer: Decodable {
  let requestId: String
  let status: String
  let outcome: OutcomeBody?
}

/// `{"kind": "orgCreated", "orgId": …}`: an outcome on the wire, and in the local API's answers.
///
/// It holds an invite token in the clear, so it is made where it is sent and nowhere kept.
package struct OutcomeBody: Codable {
  private var kind: String
  private var orgId: String?
  private var org: String?
  private var name: String?
  private var token: String?
  private var apps: [String]?

  package init(_ outcome: ConsentOutcome) {
    kind = outcome.kind.rawValue
    switch outcome {
    case .orgCreated(let orgId): self.orgId = orgId
    case .inviteCreated(let token): self.token = token
    case .inviteAccepted(let org): self.org = org
    case .orgRenamed(let orgId, let name): (self.orgId, self.name) = (orgId, name)
    case .orgDeleted(let apps): self.apps = apps
    }
  }

  /// `nil` for a kind that is not known, and where a field of its kind is missing or empty.
  package var outcome: ConsentOutcome? {
    switch ConsentOutcome.Kind(rawValue: kind) {
    case .orgCreated: orgId.filled.map { .orgCreated(orgId: $0) }
    case .inviteCreated: token.filled.map { .inviteCreated(token: $0) }
    case .inviteAccepted: org.filled.map { .inviteAccepted(org: $0) }
    case .orgRenamed:
      if let orgId = orgId.filled, let name = name.filled {
        .orgRenamed(orgId: orgId, name: name)
      } else {
        nil
      }
    case .orgDeleted: apps.map { .orgDeleted(apps: $0) }
    case nil: nil
    }
  }
}

extension OutcomeBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "OutcomeBody(\(kind))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}

/// POST /auth/refresh, both ways.
struct TokensBody: Codable {
  let accessToken: String
  let refreshToken: String?

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case refreshToken = "refresh_token"
  }
}

/// A date as a node may write it: RFC 3339, Unix seconds, or Unix milliseconds.
struct WireDate: Decodable {
  let date: Date

  /// Numbers below are seconds (to the year 5138), the others milliseconds (from 1973).
  private static let leastMilliseconds = 1e11
  private static let mostMilliseconds = 253_402_300_799_999.0

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let date = RFC3339.date(text) else { throw Self.unreadable(in: container) }
      self.date = date
      return
    }
    let number = try container.decode(Double.self)
    guard number >= 0, number <= Self.mostMilliseconds else {
      throw Self.unreadable(in: container)
    }
    date = Date(timeIntervalSince1970: number < Self.leastMilliseconds ? number : number / 1000)
  }

  private static func unreadable(
    in container: any SingleValueDecodingContainer
  ) -> DecodingError {
    .dataCorruptedError(in: container, debugDescription: "no date")
  }
}

/// `{"data": …}`, as the node's admin API wraps its answers, or the answer itself.
struct MaybeWrapped<Answer: Decodable>: Decodable {
  let answer: Answer

  private enum Keys: String, CodingKey { case data }

  init(from decoder: any Decoder) throws {
    let wrapper = try decoder.container(keyedBy: Keys.self)
    if wrapper.contains(.data) {
      answer = try wrapper.decode(Answer.self, forKey: .data)
    } else {
      answer = try Answer(from: decoder)
    }
  }
}

extension String? {
  fileprivate var filled: String? { self?.isEmpty == false ? self : nil }
}
