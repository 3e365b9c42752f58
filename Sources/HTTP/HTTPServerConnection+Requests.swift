import EventLoop

/// What a connection's task does with a request.
extension HTTPServerConnection {
  func serveNext(_ parser: inout HTTPRequestParser) async throws(End) {
    waits(.receiving)
    let head = try await receiveHead(&parser)
    try await serve(head, &parser)
  }

  /// Answers a request whose head is known, or parks its answer.
  func serve(_ head: HTTPRequestHead, _ parser: inout HTTPRequestParser) async throws(End) {
    var head = head
    if let response = server.handler.refuse(head: head.request, on: info) {
      // What follows may be the body that was not asked for, so it is not parsed.
      guard head.framing == .none else {
        await sendLast(response, AnswerForm(head))
        throw .gone
      }
      return try await send(response, AnswerForm(head))
    }
    if head.framing != .none { head.request.body = try await receiveBody(&parser, of: head) }
    activity = .answering
    holds(complete: head.request.heldBytes + parser.heldBytes)
    let form = AnswerForm(head)
    let reply = server.handler.reply(to: head.request, on: info)
    if case .parked(let answer) = reply, parser.isIdle { return park(answer, form) }
    try await send(await reply.value(), form)
  }

  private func receiveHead(_ parser: inout HTTPRequestParser) async throws(End) -> HTTPRequestHead {
    // A request that was sent ahead is there already.
    if let head = try parsed({ () throws(HTTPRefusal) in try parser.nextHead() }) { return head }
    try hold(parser)
    stream.readDeadline = isFirst ? deadline : .now + limits.headerTime
    while true {
      try await read(&parser)
      try hold(parser)
      if let head = try parsed({ () throws(HTTPRefusal) in try parser.nextHead() }) { return head }
    }
  }

  private func receiveBody(
    _ parser: inout HTTPRequestParser, of head: HTTPRequestHead
  ) async throws(End) -> [UInt8] {
    if let body = try parsed({ () throws(HTTPRefusal) in try parser.nextBody() }) { return body }
    // Before it is asked for, where its length is known.
    try hold(parser, of: head)
    parser.reserveBody()
    if head.expectsContinue && parser.isIdle { try await write(HTTPResponseWriter.continue) }
    stream.readDeadline = .now + limits.bodyTime
    while true {
      try await read(&parser)
      try hold(parser, of: head)
      if let body = try parsed({ () throws(HTTPRefusal) in try parser.nextBody() }) { return body }
    }
  }

  /// Reads more of a request. A client that ends it here has half-closed, and is told.
  private func read(_ parser: inout HTTPRequestParser) async throws(End) {
    let count: Int
    do {
      count = try await stream.read(into: &parser.input.bytes, limit: limits.readSize)
    } catch {
      guard error == .timedOut else { throw .gone }
      if isEvicted { throw .refused(HeldBytes.tooMuch) }
      throw .refused(HTTPRefusal(408, "The request took too long to arrive."))
    }
    guard count > 0 else { throw .refused(HTTPRefusal(400, "The request ended too early.")) }
    await letOthers(after: count)
  }

  /// Takes what there is of a next request.
  ///
  /// - Returns: whether there was something.
  func readNow(_ parser: inout HTTPRequestParser) async throws(End) -> Bool {
    let count: Int?
    do {
      count = try stream.readNow(into: &parser.input.bytes, limit: limits.readSize)
    } catch {
      throw .gone
    }
    guard let count else { return false }
    guard count > 0 else { throw .gone }
    await letOthers(after: count)
    return true
  }

  /// A client that sends as fast as it is read would never let this task wait, and so nobody else
  /// have a turn.
  private func letOthers(after count: Int) async {
    if count == limits.readSize { await Task.yield() }
  }

  private func hold(_ parser: HTTPRequestParser, of head: HTTPRequestHead? = nil) throws(End) {
    let bytes = parser.heldBytes + (head?.request.heldBytes ?? 0)
    guard holds(incomplete: bytes) else { throw .refused(HeldBytes.tooMuch) }
  }

  private func parsed<R>(_ parse: () throws(HTTPRefusal) -> R) throws(End) -> R {
    do { return try parse() } catch { throw .refused(error) }
  }
}
