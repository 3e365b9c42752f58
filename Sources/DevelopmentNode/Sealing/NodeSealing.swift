package import Crypto
package import EventLoop
package import Sealed

/// Why the transport did not open something.
package typealias SealingRefusal = NodeRefusal.Code

/// The node's side of the sealed transport, version 2: its key, its sessions, and the opening and
/// sealing of exchanges. Pure: bytes in, bytes out, and it is told the time.
///
/// What it refuses it refuses with a code of the protocol. It never misbehaves: whoever wants a
/// wrong answer seals other frames, or turns a bit in the right ones.
package struct NodeSealing: ~Copyable {
  /// Of sessions made from now on; whole seconds, at least one.
  package var sessionLifetime: Duration = .seconds(3600)

  private let key: X25519.PrivateKey
  private var sessions = NodeSessions()

  /// - Parameter key: the transport key; another one is another node to every client.
  package init(key: consuming X25519.PrivateKey = X25519.PrivateKey()) { self.key = key }

  /// The public half of the transport key: 32 bytes.
  package var transportKey: [UInt8] { key.publicKey.bytes }

  /// Answers the body of `POST /sealed/v2/handshake`.
  ///
  /// - Throws: `malformed`, `unsupportedVersion`, `staleTransportKey`, `undecryptable`
  package mutating func handshake(
    _ body: [UInt8], at now: BootInstant
  ) throws(SealingRefusal) -> [UInt8] {
    let seconds = UInt32(clamping: max(1, sessionLifetime.components.seconds))
    let sessionID = SecureRandom.bytes(count: SealedProtocol.sessionIDSize)
    let accepted = try NodeHandshake(request: body, key: key)
      .accept(sessionID: sessionID, lifetime: seconds)
    let reply = accepted.reply
    sessions.add(
      NodeSession(
        id: sessionID, keys: accepted.takeKeys(), at: now, lifetime: .seconds(Int64(seconds))))
    return reply
  }

  /// Opens the body of `POST /sealed/v2`. Its request id is used up by it.
  ///
  /// - Throws: `malformed`, `unsupportedVersion`, `tooLarge`, `unknownSession`,
  ///   `replayedRequest`, `undecryptable`
  package mutating func open(
    _ body: [UInt8], at now: BootInstant
  ) throws(SealingRefusal) -> OpenedExchange {
    let header = try RequestEnvelope.Header(of: body)
    guard body.count <= RequestEnvelope.longest else { throw .tooLarge }
    guard header.requestID > 0 else { throw .malformed }
    guard let session = sessions.session(header.sessionID, at: now) else { throw .unknownSession }
    let (head, inner) = try session.open(body, header: header, at: now)
    let request = APIRequest(
      method: head.method, path: head.path,
      headers: head.fields.map { (name: $0.name, value: $0.value) }, body: inner)
    return OpenedExchange(request: request, header: header, sealer: session.responseSealer())
  }

  /// Every session is unknown from now on.
  package mutating func forgetSessions() { sessions = NodeSessions() }

  /// That one session is unknown from now on.
  package mutating func forgetSession(of exchange: borrowing OpenedExchange) {
    sessions.forget(exchange.sessionID)
  }
}

/// One request that was opened, and what seals its answer frame by frame.
package struct OpenedExchange: ~Copyable {
  package let request: APIRequest
  fileprivate let sessionID: [UInt8]
  private var writer: FrameWriter
  private var sealer: AES256GCM.Sealer

  fileprivate init(
    request: APIRequest, header: RequestEnvelope.Header, sealer: consuming AES256GCM.Sealer
  ) {
    self.request = request
    sessionID = header.sessionID
    writer = FrameWriter(header: header)
    self.sealer = sealer
  }

  /// The next frame, with its length before it. Whatever `kind` and `data` are: also a second
  /// head, a kind that does not exist, or more data than a frame may hold.
  package mutating func frame(kind: UInt8, _ data: [UInt8]) -> [UInt8] {
    writer.frame(kind, data, with: &sealer)
  }
}
