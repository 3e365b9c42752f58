import EventLoop

/// One connection of a server: reads a request, has it answered, and goes on.
///
/// What needs no waiting is done where the loop says that something came, in the server's buffers
/// (this file). What has to wait (a body, a handler, a slow reader) is done by one task, which
/// ends when nothing more is there. So a connection that is idle, or whose answer is to come,
/// holds neither task nor buffer. Requests that were sent ahead are answered in order, and a
/// client that sends faster than it reads fills its own socket, not our memory.
@LoopActor final class HTTPServerConnection {
  let stream: any ByteStream
  let info: HTTPConnectionInfo
  /// Held until the end of the connection, which lets go of it by closing.
  let server: HTTPServer
  /// What it counts as; `nil` once it has given way.
  var place: Place?
  /// Who waits for its end.
  var whenOver: UnsafeContinuation<Void, Never>?
  var activity = Activity.idle
  /// No request has been answered yet.
  var isFirst = true
  /// When the header section of the first request has to be there, or an idle connection ends.
  private(set) var deadline: BootInstant
  /// When the present wait for the client began, where there is one.
  var since: BootInstant
  private let timer = LoopTimer()
  /// Whose cancellation ends a running handler; `nil` while nothing has to wait.
  private var task: Task<Void, Never>?
  /// What it holds, once that was more than every connection may.
  private var held: HeldBytes?

  /// What an event from outside finds the connection doing.
  enum Activity {
    /// Nothing of a request is there.
    case idle
    case receiving
    case answering
    case parked(any ParkedAnswer)
    case streaming(HTTPBodyStream)
    case closing
    case over
  }

  /// Why no further request is read.
  enum End: Error {
    case refused(HTTPRefusal)
    /// Nobody is left to answer.
    case gone
  }

  var limits: HTTPLimits { server.limits }

  init(
    _ stream: any ByteStream, _ info: HTTPConnectionInfo, server: HTTPServer, place: Place
  ) {
    self.stream = stream
    self.info = info
    self.server = server
    self.place = place
    since = .now
    deadline = since + server.limits.headerTime
    stream.writeStallLimit = server.limits.writeStall
    // The stream is not closed yet: what the client sent before it left is still read.
    stream.onHangUp = { [weak self] in self?.clientLeft() }
  }

  func begin() {
    stream.onInput = { [weak self] in self?.inputCame() }
    rest()
    if stream.mayHaveInput { inputCame() }
  }

  // MARK: Without a task

  /// Nothing is to be done until something comes.
  private func rest() {
    activity = .idle
    guard !server.isStopping else { return close() }
    if !isFirst {
      since = .now
      deadline = since + limits.idleTime
    }
    // Moved to an earlier moment only: most requests come long before their deadline.
    if let armed = timer.armedFor, armed <= deadline { return }
    timer.arm(at: deadline) { [weak self] in self?.timeIsUp() }
  }

  private func timeIsUp() {
    // Whoever is busy will rest again.
    guard case .idle = activity else { return }
    guard deadline > .now else { return close() }
    timer.arm(at: deadline) { [weak self] in self?.timeIsUp() }
  }

  /// Something came, or the end.
  private func inputCame() {
    guard case .idle = activity else { return }
    // However this ends: not a byte of this connection is there when another one comes.
    defer { server.clearParser() }
    do {
      switch try stream.readNow(into: &server.parser.input.bytes, limit: limits.readSize) {
      case nil: return
      // An end between requests is how connections end.
      case 0?: return close()
      case .some: try takeRequests()
      }
    } catch let refusal as HTTPRefusal {
      end(refusing: refusal)
    } catch {
      close()
    }
  }

  /// Answers what can be answered at once, and leaves the rest to a task.
  private func takeRequests() throws(HTTPRefusal) {
    while let head = try server.parser.nextHead() {
      guard head.framing == .none else {
        return run { (parser) throws(End) in try await self.serve(head, &parser) }
      }
      guard answerNow(head) else { return }
    }
    if server.parser.isIdle && !stream.mayHaveInput { return rest() }
    run { _ throws(End) in }
  }

  /// - Returns: whether the answer was sent, and another request may follow.
  private func answerNow(_ head: HTTPRequestHead) -> Bool {
    let form = AnswerForm(head)
    let reply =
      server.handler.refuse(head: head.request, on: info).map(HTTPReply.now)
      ?? server.handler.reply(to: head.request, on: info)
    switch reply {
    case .now(let response): return sendNow(response, form)
    case .prepared(let answer): return sendNow(answer, form)
    case .parked(let answer) where server.parser.isIdle: park(answer, form)
    case .parked, .later:
      let bytes = head.request.heldBytes + server.parser.heldBytes
      guard holds(incomplete: bytes) else {
        if case .parked(let answer) = reply { answer.hurry() }
        end(refusing: HeldBytes.tooMuch)
        return false
      }
      holds(complete: bytes)
      run(.answering) { _ throws(End) in try await self.send(await reply.value(), form) }
    }
    return false
  }

  /// - Returns: whether the answer was sent, and another request may follow.
  private func sendNow(_ response: HTTPResponse, _ form: AnswerForm) -> Bool {
    guard persists(response, form), response.isShort else {
      run(.answering) { _ throws(End) in try await self.send(response, form) }
      return false
    }
    server.output.removeAll(keepingCapacity: true)
    _ = head(of: response, form, persists: true, into: &server.output)
    return sendNow(server.output)
  }

  private func sendNow(_ answer: PreparedAnswer, _ form: AnswerForm) -> Bool {
    guard !form.isHead, form.version == .http11, persists(form) else {
      return sendNow(answer.response, form)
    }
    return sendNow(answer.bytes(at: server.dateField()))
  }

  /// - Returns: whether all of an answer was taken, and another request may follow.
  private func sendNow(_ bytes: [UInt8]) -> Bool {
    do {
      let sent = try stream.writeNow(bytes)
      isFirst = false
      if sent == bytes.count { return true }
      let rest = Array(bytes[sent...])
      run(.answering) { _ throws(End) in
        guard self.holds(unsent: rest.count) else { throw .gone }
        try await self.write(rest)
        self.hasSentAll()
      }
    } catch {
      close()
    }
    return false
  }

  /// Waits for an answer without a task.
  func park(_ answer: any ParkedAnswer, _ form: AnswerForm) {
    activity = .parked(answer)
    answer.onAnswer = { [weak self] response in
      guard let self, case .parked = activity, sendNow(response, form) else { return }
      // What was sent ahead meanwhile has its turn, but not within somebody else's.
      if stream.mayHaveInput { run { _ throws(End) in } } else { rest() }
    }
  }

  // MARK: With a task

  /// Runs `step`, and then answers all requests that are there.
  private func run(
    _ activity: Activity = .receiving,
    _ step: @escaping @LoopActor (inout HTTPRequestParser) async throws(End) -> Void
  ) {
    if case .receiving = activity { waits(activity) } else { self.activity = activity }
    var parser = server.takeParser()
    task = Task {
      do throws(End) {
        try await step(&parser)
        while try await hasMore(&parser) { try await serveNext(&parser) }
      } catch {
        // What was read goes before the refusal is told and drained.
        parser = HTTPRequestParser(limits: limits)
        held?.release()
        if case .refused(let refusal) = error { await refuse(refusal) }
        return close()
      }
      task = nil
      held?.release()
      if case .parked = self.activity { return }
      rest()
    }
  }

  private func hasMore(_ parser: inout HTTPRequestParser) async throws(End) -> Bool {
    if case .parked = activity { return false }
    guard parser.isIdle else { return true }
    return try await readNow(&parser)
  }

  func end(refusing refusal: HTTPRefusal) {
    end(with: server.handler.answer(to: refusal, on: info))
  }

  /// Sends an answer after which nothing is read.
  func end(with response: HTTPResponse) {
    activity = .answering
    task = Task {
      await sendLast(response)
      close()
    }
  }

  func close() {
    if case .over = activity { return }
    activity = .over
    task = nil
    held?.release()
    timer.disarm()
    stream.close()
    whenOver?.resume()
    server.ended(self)
  }

  // MARK: What it holds

  /// Counts what is here of a request that is not whole. A stranger has no more than its own room.
  ///
  /// - Returns: `false` when there is no room for it.
  func holds(incomplete bytes: Int) -> Bool {
    guard info.isAdmitted || bytes <= limits.ownBytes else { return false }
    return holding(bytes).map { $0.isIncomplete(bytes) } ?? true
  }

  /// Counts a request that is about to be answered.
  func holds(complete bytes: Int) { holding(bytes)?.isComplete(bytes) }

  /// Counts what the client has not taken yet.
  ///
  /// - Returns: `false` when there is no room for it.
  func holds(unsent bytes: Int) -> Bool { holding(bytes).map { $0.isUnsent(bytes) } ?? true }

  func hasSentAll() { _ = held?.isUnsent(0) }

  /// The request had to make room for others.
  var isEvicted: Bool { held?.isEvicted ?? false }

  private func holding(_ bytes: Int) -> HeldBytes? {
    if held == nil && bytes > limits.ownBytes { held = HeldBytes(of: server.memory, stream) }
    return held
  }

  // MARK: Ends from outside

  /// The client is gone for good: nobody will read an answer.
  private func clientLeft() {
    task?.cancel()
    switch activity {
    case .streaming(let body): body.breakOff()
    case .parked(let answer):
      close()
      answer.hurry()
    default: break
    }
  }

  func stop() {
    switch activity {
    case .idle: close()
    case .receiving: stream.close()
    case .streaming(let body): body.stop()
    case .answering, .parked, .closing, .over: break
    }
  }

  func cut() {
    stream.close()
    clientLeft()
  }
}
