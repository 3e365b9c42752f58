import EventLoop

/// The memory of one server: what its clients have sent and what they have not taken yet.
@LoopActor struct ServerMemory {
  let requests: ByteBudget
  let answers: ByteBudget

  init(_ limits: HTTPLimits) {
    // A body arrives at once or is being held back. Whoever is in the middle of one has a moment.
    requests = ByteBudget(
      share: limits.ownBytes, common: limits.requestBytes, grace: limits.requestGrace)
    // The kernel takes answers of this API whole. Only what somebody does not read is held.
    answers = ByteBudget(share: limits.ownBytes, common: limits.answerBytes, grace: .zero)
  }
}

/// What one connection holds of its server's memory.
@LoopActor struct HeldBytes {
  private let request: ByteShare
  private let answer: ByteShare

  init(of memory: ServerMemory, _ stream: any ByteStream) {
    request = ByteShare(of: memory.requests)
    answer = ByteShare(of: memory.answers)
    // The read that waits ends, and its connection tells why.
    request.onEviction = { [weak stream] in stream?.readDeadline = .now }
    // Who does not read cannot be told.
    answer.onEviction = { [weak stream] in stream?.close() }
    answer.yields = true
  }

  static let tooMuch = HTTPRefusal(
    429, "Too much is being sent at once.", headers: [.retryAfter: "1"])

  /// The request had to make room for others.
  var isEvicted: Bool { request.isEvicted }

  /// Counts a request of which more has to arrive.
  ///
  /// - Returns: `false` when there is no room for it.
  func isIncomplete(_ bytes: Int) -> Bool {
    request.yields = true
    return request.hold(bytes)
  }

  /// Counts a request that is being answered: it is not ended to make room. It may be a little
  /// more than what was counted of its parts; who has come this far is not refused.
  func isComplete(_ bytes: Int) {
    request.yields = false
    _ = request.hold(bytes)
  }

  /// Counts what the client has not taken yet.
  ///
  /// - Returns: `false` when there is no room for it.
  func isUnsent(_ bytes: Int) -> Bool { answer.hold(bytes) }

  /// The connection has ended.
  func release() {
    _ = request.hold(0)
    _ = answer.hold(0)
  }
}

extension HTTPRequest {
  /// Bytes of memory, nearly.
  var heldBytes: Int {
    path.utf8.count + (query?.utf8.count ?? 0) + headers.wire.capacity + body.capacity
  }
}

extension HTTPResponse {
  /// Bytes of memory of a body that is here as a whole.
  var heldBytes: Int {
    if case .bytes(let bytes) = body { bytes.capacity } else { 0 }
  }
}
