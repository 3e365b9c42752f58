import EventLoop
import MeroConsent

/// What undecided requests and starts under way may take of memory together.
///
/// Ordinary ones fit into a share that each has for itself, so that no app which asks for much keeps
/// another from asking. Of the rest, no session has more than it leaves to others.
@LoopActor struct OpenRequestMemory {
  /// Bytes of starts that wait for their nodes, beyond what each has for itself.
  private var starts = 0

  init() {}

  /// Bytes beyond a request's own share.
  static func common(_ texts: String?...) -> Int {
    common(texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) })
  }

  static func common(_ bytes: Int) -> Int { max(0, bytes - BrokerLimits.openRequestBytes) }

  /// The most that a node's answer to a start may take.
  static let longestAnswer = common(StartedCheck.longestAnswer)

  /// Whether there is room for so many more bytes of the common ones.
  func fits(_ common: Int, of session: Session, besides live: LiveRequests) -> Bool {
    let all = live.commonBytes + starts + common
    return common == 0 || session.openBytes + common <= BrokerLimits.allOpenRequestBytes - all
  }

  mutating func begin(_ common: Int, of session: Session) {
    starts += common
    session.openBytes += common
  }

  mutating func end(_ common: Int, of session: Session) {
    starts -= common
    session.openBytes -= common
  }
}
