import EventLoop
import HTTP

/// One method of one path, who may call it, and what answers.
///
/// Access is part of the value, and only `.session` hands a `Caller` on: a route that does not say
/// who may call it does not compile, and neither does one that says "anybody" and looks at a
/// session's things.
struct Route: Sendable {
  /// Answers a call that nobody has to prove anything for.
  typealias Open =
    @LoopActor @Sendable (APICall, Broker) async throws(APIProblem) -> HTTPResponse
  /// Answers a session's call.
  typealias Keyed =
    @LoopActor @Sendable (APICall, Caller, Broker) async throws(APIProblem) -> HTTPResponse

  enum Access: Sendable {
    /// Every process of this user. What it answers is nobody's.
    case anybody(Open)
    /// Whoever has the key of a session.
    case session(Keyed)
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
  private let segments: [String]

  init(stringLiteral template: String) {
    self.template = template
    segments = PathSegments.split(template) ?? []
  }

  /// What a path has in the place of `{id}`.
  enum Match: Equatable {
    case plain
    case id(String)
  }

  /// Compares byte for byte; nothing is normalized, and an empty id is none.
  ///
  /// - Parameter path: the segments of a request's path, each decoded once.
  func match(_ path: [String]) -> Match? {
    guard path.count == segments.count else { return nil }
    var match = Match.plain
    for (segment, own) in zip(path, segments) {
      if own == "{id}" {
        guard !segment.isEmpty else { return nil }
        match = .id(segment)
      } else if !segment.utf8.elementsEqual(own.utf8) {
        return nil
      }
    }
    return match
  }
}
