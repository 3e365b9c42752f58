import EventLoop

/// What undecided requests and starts under way may take of memory together.
///
/// Ordinary ones fit into a share that each has for itself, so that no app which asks for much keeps
/// another from asking.
@LoopActor struct OpenRequestMemory {
  /// Bytes of starts that wait for their nodes, beyond what each has for itself.
  private var starts = 0

  init() {}

  /// Bytes beyond a request's own share.
  static func common(_ texts: String?...) -> Int {
    common(texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) })
  }

  static func common(_ bytes: Int) -> Int { max(0, bytes - BrokerLimits.openRequestBytes) }

  /// Whether there is room for so many more bytes of the common ones.
  func fits(_ common: Int, besides live: LiveRequests) -> Bool {
    common == 0 || live.commonBytes + starts + common <= BrokerLimits.allOpenRequestBytes
  }

  mutating func begin(_ common: Int) { starts += common }

  mutating func end(_ common: Int) { starts -= common }
}
