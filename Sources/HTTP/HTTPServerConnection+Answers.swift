import EventLoop

/// What has to be known of a request when its answer is sent.
struct AnswerForm {
  let isHead: Bool
  let version: HTTPVersion
  /// The client is ready to send another request.
  let persists: Bool

  init(_ head: HTTPRequestHead) {
    isHead = head.request.method == .head
    version = head.request.version
    persists = head.persists
  }
}

extension HTTPServerConnection {
  /// Sends an answer. After it another request may follow.
  func send(_ response: HTTPResponse, _ form: AnswerForm) async throws(End) {
    let persists = persists(response, form)
    do {
      try await write(response, form, persists: persists)
    } catch {
      throw .gone
    }
    isFirst = false
    if persists && !server.isStopping { return }
    await closeGently()
    throw .gone
  }

  func persists(_ response: HTTPResponse, _ form: AnswerForm) -> Bool {
    persists(form) && !response.closesConnection
      && !HTTPResponseWriter.endsWithConnection(response, form.version)
  }

  /// Whether the connection stays open where the answer allows it.
  func persists(_ form: AnswerForm) -> Bool {
    form.persists && server.persistence == .keepAlive && !server.isStopping
  }

  /// Answers a refusal, and reads nothing any more.
  func refuse(_ refusal: HTTPRefusal) async {
    await sendLast(server.handler.answer(to: refusal, on: info))
  }

  /// Sends an answer after which nothing is read.
  func sendLast(_ response: HTTPResponse, _ form: AnswerForm? = nil) async {
    activity = .answering
    let written: ()? = try? await write(response, form, persists: false)
    if written != nil { await closeGently() }
  }

  /// Writes the head, and a body that is short.
  func head(
    of response: HTTPResponse, _ form: AnswerForm?, persists: Bool, into output: inout [UInt8]
  ) -> HTTPResponseWriter.Transfer {
    let transfer = HTTPResponseWriter.head(
      response, toHead: form?.isHead ?? false, version: form?.version ?? .http11,
      persists: persists, date: server.dateField().field, into: &output)
    guard case .bytes(let bytes) = transfer, response.isShort else { return transfer }
    // One write for what fits in one packet or two; a copy of more would cost more.
    output.append(contentsOf: bytes)
    return .none
  }

  private func write(
    _ response: HTTPResponse, _ form: AnswerForm?, persists: Bool
  ) async throws(StreamError) {
    var output: [UInt8] = []
    let transfer = head(of: response, form, persists: persists, into: &output)
    if case .discarded(let body) = transfer { body.detach() }
    guard holds(unsent: output.count + response.heldBytes) else { throw .closed }
    defer { hasSentAll() }
    switch transfer {
    case .none, .discarded: try await stream.write(output)
    case .bytes(let bytes):
      try await stream.write(output)
      try await stream.write(bytes)
    case .chunked(let body): try await send(body, after: &output, inChunks: true)
    case .untilClose(let body): try await send(body, after: &output, inChunks: false)
    }
  }

  func write(_ bytes: [UInt8]) async throws(End) {
    do { try await stream.write(bytes) } catch { throw .gone }
  }

  private func send(
    _ body: HTTPBodyStream, after head: inout [UInt8], inChunks: Bool
  ) async throws(StreamError) {
    defer { body.detach() }
    body.attach(queueLimit: limits.streamQueue) { [weak self] queued, inFlight in
      self?.holds(unsent: queued + inFlight) ?? false
    } onBreak: { [stream] in
      stream.close()
    }
    activity = .streaming(body)
    if server.isStopping { body.stop() }
    try await stream.write(head)
    // A stream may stay open for days: it does not keep the buffer of its head.
    head = []
    while let piece = try await body.next() {
      if inChunks {
        var chunk: [UInt8] = []
        HTTPResponseWriter.chunk(piece, into: &chunk)
        try await stream.write(chunk)
      } else {
        try await stream.write(piece)
      }
    }
    if inChunks { try await stream.write(HTTPResponseWriter.lastChunk) }
  }

  /// Ends our side and reads on until the client ends its own. To close with unread input would
  /// make the kernel send a reset, and the client would lose what it has not read yet.
  private func closeGently() async {
    waits(.closing)
    stream.shutdownWrite()
    stream.readDeadline = .now + limits.lingerTime
    var drained = 0
    while drained < limits.lingerBytes {
      // Of its own for each read: many connections may be drained at once.
      var scratch: [UInt8] = []
      guard let count = try? await stream.read(into: &scratch, limit: limits.readSize), count > 0
      else { break }
      drained += count
    }
  }
}

extension HTTPResponse {
  /// Short enough to be copied behind its head.
  var isShort: Bool {
    guard case .bytes(let bytes) = body else { return false }
    return bytes.count <= 16 * 1024
  }
}
