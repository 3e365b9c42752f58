package import EventLoop

/// Why a client has no answer, or not all of it.
package enum HTTPClientError: Error, Sendable, Equatable {
  /// The connection failed; `.timedOut` at the deadline, `.closed` when the task was cancelled.
  case stream(StreamError)
  /// The server ended the connection in the middle of an answer, or (`answerBegan` false) before
  /// its first byte: then a kept connection was perhaps dead already.
  case endedEarly(answerBegan: Bool)
  /// The answer is no HTTP/1.1, or over a limit.
  case malformed(HTTPRefusal)
}

/// The client side of one connection: one request at a time, its answer read to the end before
/// the next.
@LoopActor package final class HTTPClientConnection {
  private let stream: any ByteStream
  private let limits: HTTPLimits
  private var parser: HTTPResponseParser
  private var state = State.ready
  private var serverHasLeft = false

  private enum State {
    case ready
    case busy
    /// No request can be sent any more.
    case over
  }

  /// - Parameter limits: `bodyBytes` is for the whole of a body; a stream of events needs a
  ///   connection with `.max`.
  package init(_ stream: any ByteStream, limits: HTTPLimits = HTTPLimits()) {
    self.stream = stream
    self.limits = limits
    parser = HTTPResponseParser(limits: limits)
    stream.writeStallLimit = limits.writeStall
    stream.onHangUp = { [weak self] in self?.serverLeft() }
  }

  isolated deinit { stream.close() }

  /// Whether another request may be sent. A server that has closed a Unix socket is noticed at
  /// once, before anything is sent in vain.
  package var isReusable: Bool { state == .ready }

  package func close() {
    state = .over
    stream.close()
  }

  private func serverLeft() {
    serverHasLeft = true
    // What it has sent before is still read.
    if state == .ready { close() }
  }

  /// Sends a request and reads the head of its answer. Cancelling the task closes the connection.
  ///
  /// - Parameter deadline: when the head must be there; `nil` for no limit.
  /// - Precondition: `isReusable`.
  package func send(
    _ request: HTTPRequest, deadline: BootInstant? = nil
  ) async throws(HTTPClientError) -> HTTPClientResponse {
    precondition(state == .ready, "one request at a time")
    state = .busy
    stream.readDeadline = deadline
    do {
      let head = try await closingOnCancel { () async throws(HTTPClientError) in
        try await self.exchange(request)
      }
      return HTTPClientResponse(head, on: self)
    } catch {
      close()
      throw error
    }
  }

  private func exchange(
    _ request: HTTPRequest
  ) async throws(HTTPClientError) -> HTTPResponseHead {
    var failure: StreamError?
    // A server may refuse, answer and close before it has read everything: the answer counts.
    do { try await stream.write(HTTPRequestWriter.bytes(request)) } catch { failure = error }
    if let failure, failure == .timedOut { throw .stream(failure) }
    do throws(HTTPClientError) {
      return try await receiveHead(toHead: request.method == .head)
    } catch {
      if let failure, error == .endedEarly(answerBegan: false) { throw .stream(failure) }
      throw error
    }
  }

  private func receiveHead(
    toHead isHead: Bool
  ) async throws(HTTPClientError) -> HTTPResponseHead {
    while true {
      let head = try parse { () throws(HTTPRefusal) in try parser.nextHead(toHead: isHead) }
      if let head { return head }
      if try await read() == 0 { throw .endedEarly(answerBegan: !parser.isIdle) }
    }
  }

  /// Appends the next piece of the body, at least a byte of it.
  ///
  /// - Returns: `false` at the end.
  fileprivate func readBody(
    _ head: HTTPResponseHead, into body: inout [UInt8], deadline: BootInstant?
  ) async throws(HTTPClientError) -> Bool {
    guard state == .busy else { return false }
    stream.readDeadline = deadline
    do {
      let (piece, isDone) = try await closingOnCancel { () async throws(HTTPClientError) in
        try await self.bodyPiece()
      }
      body.append(contentsOf: piece)
      if isDone { finish(persists: head.persists) }
      return !piece.isEmpty
    } catch {
      close()
      throw error
    }
  }

  private func bodyPiece() async throws(HTTPClientError) -> (piece: [UInt8], isDone: Bool) {
    var piece: [UInt8] = []
    while true {
      let isDone = try parse { () throws(HTTPRefusal) in try parser.readBody(into: &piece) }
      if isDone || !piece.isEmpty { return (piece, isDone) }
      if try await read() == 0 {
        guard parser.mayEndHere else { throw .endedEarly(answerBegan: true) }
        return (piece, true)
      }
    }
  }

  fileprivate func finish(persists: Bool) {
    // Bytes that nobody asked for: whose answer they are cannot be told.
    let canGoOn = persists && parser.isIdle && !serverHasLeft && state == .busy
    if canGoOn { state = .ready } else { close() }
  }

  private func read() async throws(HTTPClientError) -> Int {
    // The parser's buffer is moved out meanwhile: a property may not be lent over an await.
    var bytes: [UInt8] = []
    swap(&bytes, &parser.input.bytes)
    defer { swap(&bytes, &parser.input.bytes) }
    do {
      return try await stream.read(into: &bytes, limit: limits.readSize)
    } catch {
      throw .stream(error)
    }
  }

  private func parse<R>(_ body: () throws(HTTPRefusal) -> R) throws(HTTPClientError) -> R {
    do { return try body() } catch { throw .malformed(error) }
  }

  private func closingOnCancel<R>(
    _ body: @escaping @LoopActor () async throws(HTTPClientError) -> R
  ) async throws(HTTPClientError) -> R {
    if Task.isCancelled { throw .stream(.closed) }
    return try await stream.closingOnCancel(body)
  }
}

/// An answer whose body is still to be read.
@LoopActor package final class HTTPClientResponse {
  private let head: HTTPResponseHead
  private let connection: HTTPClientConnection
  private var isDone: Bool

  package var status: HTTPStatus { head.status }
  package var headers: HTTPHeaders { head.headers }

  fileprivate init(_ head: HTTPResponseHead, on connection: HTTPClientConnection) {
    self.head = head
    self.connection = connection
    isDone = head.framing == .none
    if isDone { connection.finish(persists: head.persists) }
  }

  /// The next piece of the body as it arrives; `nil` at its end.
  ///
  /// - Parameter deadline: when the piece must be there; `nil` for no limit.
  package func next(deadline: BootInstant? = nil) async throws(HTTPClientError) -> [UInt8]? {
    guard !isDone else { return nil }
    var piece: [UInt8] = []
    isDone = try await !connection.readBody(head, into: &piece, deadline: deadline)
    return isDone ? nil : piece
  }

  /// The whole body, at most `HTTPLimits.bodyBytes`.
  package func body(deadline: BootInstant? = nil) async throws(HTTPClientError) -> [UInt8] {
    var result: [UInt8] = []
    while let piece = try await next(deadline: deadline) { result.append(contentsOf: piece) }
    return result
  }

  /// Gives the rest of the body up, and the connection with it.
  package func cancel() {
    guard !isDone else { return }
    isDone = true
    connection.close()
  }
}
