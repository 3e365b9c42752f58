import EventLoop
import HTTP

/// One method of one path, who may call it, and what answers.
///
/// Access is part of the value, and only `.session` hands a `Caller` on: a route that does not say
/// who may call it does not compile, and neither does one that says "anybody" and looks at a
/// session's things.
final class Route: Sendable {
  /// Answers a call that nobody has to prove anything for.
  typealias Open =
    @LoopActor @Sendable (APICall, Broker) async throws(APIProblem) -> HTTPResponse
  /// Answers a session's call.
  typealias Keyed =
    @LoopActor @Sendable (APICall, Caller, Broker) async throws(APIProblem) -> HTTPResponse
  /// The same where memory has the answer, or knows what it has to wait for.
  typealias OpenNow = @LoopActor @Sendable (APICall, Broker) throws(APIProblem) -> HTTPReply
  typealias KeyedNow =
    @LoopActor @Sendable (APICall, Caller, Broker) throws(APIProblem) -> HTTPReply

  enum Access: Sendable {
    /// Every process of this user. What it answers is nobody's.
    case anybody(Open)
    case anybodyNow(OpenNow)
    /// Whoever has the key of a session.
    case session(Keyed)
    case sessionNow(KeyedNow)
  }

  let method: HTTPMethod
  let path: RoutePath
  let access: Access

  init(_ method: HTTPMethod, _ path: RoutePath, _ access: Access) {
    self.method = method
    self.path = path
    self.access = access
  }
}

/// A path such as `/v1/requests/{id}/open`.
struct RoutePath: Sendable, ExpressibleByStringLiteral {
  let template: String
  /// What stands around `{id}`; without one, all of it and nothing.
  private let before: String
  private let after: String?

  init(stringLiteral template: String) {
    self.template = template
    let parts = template.utf8.split(
      separator: UInt8(ascii: "{"), maxSplits: 1, omittingEmptySubsequences: false)
    before = String(Substring(parts[0]))
    after = parts.count < 2 ? nil : String(Substring(parts[1].dropFirst("id}".utf8.count)))
  }

  /// What a path has in the place of `{id}`.
  enum Match: Equatable {
    case plain
    case id(String)
  }

  /// Compares byte for byte; nothing is normalized, and an empty id is none.
  ///
  /// - Parameter path: of a request, with no escapes but those that must be. The id is decoded
  ///   once.
  func match(_ path: String) -> Match? {
    guard let after else { return path.hasSameBytes(as: before) ? .plain : nil }
    let (start, end) = (before.utf8.count, path.utf8.count - after.utf8.count)
    guard start < end, path.hasBytes(of: before, at: 0), path.hasBytes(of: after, at: end)
    else { return nil }
    let id = path.utf8.span.extracting(start..<end)
    guard id.firstIndex(of: UInt8(ascii: "/")) == nil else { return nil }
    guard id.firstIndex(of: UInt8(ascii: "%")) != nil else { return .id(id.text) }
    return id.withUnsafeBufferPointer { PercentCoding.decodeText($0) }.map(Match.id)
  }
}
