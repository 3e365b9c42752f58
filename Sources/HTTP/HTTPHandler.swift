package import EventLoop

/// What is known of a connection before its first byte is read, and for as long as it is there.
package struct HTTPConnectionInfo: Sendable {
  /// The kernel's word on who connected; `nil` for TCP.
  package let peer: PeerCredentials?
  /// The listener's own port; `nil` for a Unix socket.
  package let localPort: UInt16?
  /// `nil` for a Unix socket, and where the client is gone.
  package let ends: ConnectionEnds?
  /// The handler has said, when it was accepted, that it is served (`HTTPHandler.admit`).
  package internal(set) var isAdmitted: Bool

  package init(
    peer: PeerCredentials? = nil, localPort: UInt16? = nil, ends: ConnectionEnds? = nil,
    isAdmitted: Bool = false
  ) {
    self.isAdmitted = isAdmitted
    self.peer = peer
    self.localPort = localPort
    self.ends = ends
  }

  /// Of a connection that a listener has accepted.
  ///
  /// - Parameter port: the listener's.
  @LoopActor package init(_ stream: SocketStream, port: UInt16?) {
    self.init(peer: stream.peer, localPort: port, ends: port == nil ? nil : stream.ends)
  }
}

/// What answers. One handler serves all connections of a server, on the loop's thread.
@LoopActor package protocol HTTPHandler: AnyObject, Sendable {
  /// Asked once a connection, when it is accepted and before a byte of it is read. Whom it does not
  /// serve has none of the places of those whom it serves.
  func admit(_ connection: HTTPConnectionInfo) -> HTTPAdmission

  /// Asked when the header section is complete and before a body is waited for (`request.body`
  /// is still empty): the place for checks of `Host` and `Origin`. An answer refuses the request,
  /// and no `100 Continue` is sent. A stranger's request (`connection.isAdmitted`) has to get one.
  func refuse(head: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPResponse?

  /// Answers one request, or says what its answer takes. It does not suspend, so that an answer
  /// that is there already costs no task.
  func reply(to request: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPReply

  /// Answers one request, for handlers whose every answer takes its time: `reply` is this, unless
  /// it is implemented too.
  func respond(to request: HTTPRequest, on connection: HTTPConnectionInfo) async -> HTTPResponse

  /// Words a refusal of the server's own as an answer. Its status must be kept.
  func answer(to refusal: HTTPRefusal, on connection: HTTPConnectionInfo) -> HTTPResponse
}

/// What a handler has for a request.
package enum HTTPReply {
  case now(HTTPResponse)
  /// The same, put together before.
  case prepared(PreparedAnswer)
  /// It takes its time. The task is cancelled when the client hangs up for good (not when it
  /// merely ends its sending side), and at the deadline of a stop.
  case later(@LoopActor () async -> HTTPResponse)
  /// Something has to happen first, which may be long from now.
  case parked(any ParkedAnswer)
}

extension HTTPReply {
  /// An answer that will be given again and again.
  @LoopActor package static func kept(_ response: HTTPResponse) -> HTTPReply {
    PreparedAnswer(response).map(HTTPReply.prepared) ?? .now(response)
  }

  /// The answer, waited for by who has a task to do so.
  @LoopActor package func value() async -> HTTPResponse {
    switch self {
    case .now(let response): response
    case .prepared(let answer): answer.response
    case .later(let work): await work()
    case .parked(let answer): await answer.value()
    }
  }
}

/// An answer that is to come. While it is awaited its connection holds no task and no buffer.
@LoopActor package protocol ParkedAnswer: AnyObject, Sendable {
  /// Called once, with the answer; at once where it is set after the answer has come.
  var onAnswer: (@LoopActor (HTTPResponse) -> Void)? { get set }

  /// The client hung up, or the server stops: the answer comes at once, whatever it is.
  func hurry()
}

extension ParkedAnswer {
  package func value() async -> HTTPResponse {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        onAnswer = { continuation.resume(returning: $0) }
        if Task.isCancelled { hurry() }
      }
    } onCancel: {
      Task { @LoopActor in hurry() }
    }
  }
}

extension HTTPHandler {
  package func reply(to request: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPReply {
    .later { await self.respond(to: request, on: connection) }
  }

  package func admit(_ connection: HTTPConnectionInfo) -> HTTPAdmission { .served }

  package func refuse(head: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPResponse? { nil }

  package func answer(to refusal: HTTPRefusal, on connection: HTTPConnectionInfo) -> HTTPResponse {
    var headers = refusal.headers
    headers.set(.contentType, "text/plain; charset=utf-8")
    return HTTPResponse(refusal.status, headers: headers, text: refusal.reason + "\n")
  }
}
