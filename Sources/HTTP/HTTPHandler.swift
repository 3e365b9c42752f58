package import EventLoop

/// What is known of a connection before its first byte is read.
package struct HTTPConnectionInfo: Sendable {
  /// The kernel's word on who connected; `nil` for TCP.
  package let peer: PeerCredentials?
  /// The listener's own port; `nil` for a Unix socket.
  package let localPort: UInt16?

  package init(peer: PeerCredentials? = nil, localPort: UInt16? = nil) {
    self.peer = peer
    self.localPort = localPort
  }
}

/// What answers. One handler serves all connections of a server, on the loop's thread.
@LoopActor package protocol HTTPHandler: AnyObject, Sendable {
  /// Asked once a connection, before a byte of it is parsed. An answer refuses it: the answer is
  /// sent and the connection is closed, whatever the client had to say.
  func refuse(connection: HTTPConnectionInfo) -> HTTPResponse?

  /// Asked when the header section is complete and before a body is waited for (`request.body`
  /// is still empty): the place for checks of `Host` and `Origin`. An answer refuses the request,
  /// and no `100 Continue` is sent.
  func refuse(head: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPResponse?

  /// Answers one request. The task is cancelled when the client hangs up for good (not when it
  /// merely ends its sending side), and at the deadline of a stop.
  func respond(to request: HTTPRequest, on connection: HTTPConnectionInfo) async -> HTTPResponse

  /// Words a refusal of the server's own as an answer. Its status must be kept.
  func answer(to refusal: HTTPRefusal, on connection: HTTPConnectionInfo) -> HTTPResponse
}

extension HTTPHandler {
  package func refuse(connection: HTTPConnectionInfo) -> HTTPResponse? { nil }

  package func refuse(head: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPResponse? { nil }

  package func answer(to refusal: HTTPRefusal, on connection: HTTPConnectionInfo) -> HTTPResponse {
    var headers = refusal.headers
    headers.set(.contentType, "text/plain; charset=utf-8")
    return HTTPResponse(refusal.status, headers: headers, text: refusal.reason + "\n")
  }
}
