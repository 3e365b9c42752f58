import EventLoop

/// One connection of a server: reads a request, has it answered, and goes on.
///
/// One task runs it all, so requests that were sent ahead are answered in order, and a client
/// that sends faster than it reads fills its own socket, not our memory.
@LoopActor final class HTTPServerConnection {
  /// Whose cancellation ends a running handler.
  var task: Task<Void, Never>?

  private let stream: any ByteStream
  private let info: HTTPConnectionInfo
  private unowned let server: HTTPServer
  private let limits: HTTPLimits
  private var activity = Activity.receiving
  private var output: [UInt8] = []

  /// What a stop finds the connection doing.
  private enum Activity {
    case receiving
    case answering
    case streaming(HTTPBodyStream)
    case closing
  }

  init(_ stream: any ByteStream, _ info: HTTPConnectionInfo, server: HTTPServer) {
    self.stream = stream
    self.info = info
    self.server = server
    limits = server.limits
  }

  func run() async {
    stream.writeStallLimit = limits.writeStall
    // The stream is not closed yet: what the client sent before it left is still read.
    stream.onHangUp = { [weak self] in self?.clientLeft() }
    if let response = server.handler.refuse(connection: info) {
      return await sendLast(response)
    }
    var parser = HTTPRequestParser(limits: limits)
    do {
      var isFirst = true
      while try await serveNext(&parser, isFirst: isFirst) { isFirst = false }
    } catch {
      if case .refused(let refusal) = error { return await refuse(refusal) }
    }
    stream.close()
  }

  /// Answers a refusal and closes.
  func refuse(_ refusal: HTTPRefusal) async {
    await sendLast(server.handler.answer(to: refusal, on: info))
  }

  /// Why no further request is read.
  private enum End: Error {
    case refused(HTTPRefusal)
    /// Nobody is left to answer.
    case gone
  }

  // MARK: A request

  /// - Returns: whether another request may follow.
  private func serveNext(
    _ parser: inout HTTPRequestParser, isFirst: Bool
  ) async throws(End) -> Bool {
    activity = .receiving
    var head = try await receiveHead(&parser, isFirst: isFirst)
    if let response = server.handler.refuse(head: head.request, on: info) {
      // What follows may be the body that was not asked for, so it is not parsed.
      guard head.framing == .none else {
        await sendLast(response, to: head)
        throw .gone
      }
      return try await send(response, to: head)
    }
    if head.framing != .none { head.request.body = try await receiveBody(&parser, of: head) }
    activity = .answering
    let response = await server.handler.respond(to: head.request, on: info)
    return try await send(response, to: head)
  }

  private func receiveHead(
    _ parser: inout HTTPRequestParser, isFirst: Bool
  ) async throws(End) -> HTTPRequestHead {
    // A request that was sent ahead is there already.
    if let head = try parsed({ () throws(HTTPRefusal) in try parser.nextHead() }) { return head }
    var isWaiting = parser.isIdle
    let time = isFirst || !isWaiting ? limits.headerTime : limits.idleTime
    stream.readDeadline = .now + time
    while true {
      try await read(&parser, silentOnTimeout: isWaiting)
      if let head = try parsed({ () throws(HTTPRefusal) in try parser.nextHead() }) { return head }
      if isWaiting && !isFirst { stream.readDeadline = .now + limits.headerTime }
      isWaiting = false
    }
  }

  private func receiveBody(
    _ parser: inout HTTPRequestParser, of head: HTTPRequestHead
  ) async throws(End) -> [UInt8] {
    if let body = try parsed({ () throws(HTTPRefusal) in try parser.nextBody() }) { return body }
    if head.expectsContinue && parser.isIdle {
      do { try await stream.write(HTTPResponseWriter.continue) } catch { throw .gone }
    }
    stream.readDeadline = .now + limits.bodyTime
    while true {
      try await read(&parser, silentOnTimeout: false)
      if let body = try parsed({ () throws(HTTPRefusal) in try parser.nextBody() }) { return body }
    }
  }

  private func read(_ parser: inout HTTPRequestParser, silentOnTimeout: Bool) async throws(End) {
    let count: Int
    do {
      count = try await stream.read(into: &parser.input.bytes, limit: limits.readSize)
    } catch {
      guard error == .timedOut, !silentOnTimeout else { throw .gone }
      throw .refused(HTTPRefusal(408, "The request took too long to arrive."))
    }
    if count > 0 { return }
    // An end between requests is how connections end; in one, a half-closed client is told.
    throw silentOnTimeout ? .gone : .refused(HTTPRefusal(400, "The request ended too early."))
  }

  private func parsed<R>(_ parse: () throws(HTTPRefusal) -> R) throws(End) -> R {
    do { return try parse() } catch { throw .refused(error) }
  }

  // MARK: An answer

  /// - Returns: whether another request may follow.
  private func send(_ response: HTTPResponse, to head: HTTPRequestHead) async throws(End) -> Bool {
    let persists =
      head.persists && server.persistence == .keepAlive && !response.closesConnection
      && !server.isStopping
      && !HTTPResponseWriter.endsWithConnection(response, head.request.version)
    do {
      try await write(
        response, toHead: head.request.method == .head, version: head.request.version,
        persists: persists)
    } catch {
      throw .gone
    }
    if persists && !server.isStopping { return true }
    await closeGently()
    throw .gone
  }

  /// Sends an answer after which nothing is read, and closes.
  private func sendLast(_ response: HTTPResponse, to head: HTTPRequestHead? = nil) async {
    activity = .answering
    stream.writeStallLimit = limits.writeStall
    let isHead = head?.request.method == .head
    let version = head?.request.version ?? .http11
    if (try? await write(response, toHead: isHead, version: version, persists: false)) != nil {
      await closeGently()
    }
    stream.close()
  }

  private func write(
    _ response: HTTPResponse, toHead isHead: Bool, version: HTTPVersion, persists: Bool
  ) async throws(StreamError) {
    output.removeAll(keepingCapacity: true)
    let transfer = HTTPResponseWriter.head(
      response, toHead: isHead, version: version, persists: persists, date: server.dateField(),
      into: &output)
    switch transfer {
    case .none:
      try await stream.write(output)
    case .bytes(let bytes):
      // One write for what fits in one packet or two; a copy of more would cost more.
      if bytes.count <= HTTPServerConnection.joinedBody {
        output.append(contentsOf: bytes)
        try await stream.write(output)
      } else {
        try await stream.write(output)
        try await stream.write(bytes)
      }
    case .discarded(let body):
      body.detach()
      try await stream.write(output)
    case .chunked(let body):
      try await send(body, inChunks: true)
    case .untilClose(let body):
      try await send(body, inChunks: false)
    }
  }

  private static let joinedBody = 16 * 1024

  private func send(_ body: HTTPBodyStream, inChunks: Bool) async throws(StreamError) {
    defer { body.detach() }
    body.attach(queueLimit: limits.streamQueue) { [stream] in stream.close() }
    activity = .streaming(body)
    if server.isStopping { body.stop() }
    try await stream.write(output)
    // A stream may stay open for days: it does not keep the buffer of its head.
    output = []
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
    activity = .closing
    stream.shutdownWrite()
    stream.readDeadline = .now + limits.lingerTime
    var drained = 0
    var scratch: [UInt8] = []
    while drained < limits.lingerBytes {
      guard let count = try? await stream.read(into: &scratch, limit: limits.readSize), count > 0
      else { break }
      drained += count
      scratch.removeAll(keepingCapacity: true)
    }
    stream.close()
  }

  // MARK: Ends from outside

  /// The client is gone for good: nobody will read an answer.
  private func clientLeft() {
    task?.cancel()
    if case .streaming(let body) = activity { body.breakOff() }
  }

  func stop() {
    switch activity {
    case .receiving: stream.close()
    case .streaming(let body): body.stop()
    case .answering, .closing: break
    }
  }

  func cut() {
    task?.cancel()
    stream.close()
    if case .streaming(let body) = activity { body.breakOff() }
  }
}
